"""The built-in agent: a real ACP agent process that shows what a client can do.

It needs no key and no network, and starts fast: only the standard library, and little of it.
"""
