"""Starts of the program in the tests, without the time that Python takes to load it.

A process has loaded the program (`server.py`) and forks for each start (`starts.py`). What runs then
is a child of the test's own process, with its own session, terminal, folder, environment, streams and
name, as if it were started anew. The same is done for agents that are scripts (`python -S`) and for the
demo agent. Only what no fork can tell apart is started so: see `starts.py`.
"""
