"""The debugger: the frames on the wire, and the session as it was at each of them."""
