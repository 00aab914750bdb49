"""Conformance checks of agents: each provokes a behavior and judges it by a sentence of the
protocol.
"""
