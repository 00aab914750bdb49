"""The inspector (F12): the frames on the wire, and the session as it was at each of them."""
