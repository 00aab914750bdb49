"""The built-in demo agent: a real ACP agent process that shows what a client can do.

It needs no key and no network, and starts fast, as it uses only a few modules of the standard
library.
"""
