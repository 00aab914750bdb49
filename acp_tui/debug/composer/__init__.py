"""Messages that a person makes by hand: what they will be on the wire, and what is wrong with them."""
