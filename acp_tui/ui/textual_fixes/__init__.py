"""Everything that relies on private names of Textual.

`tests/unit/ui/test_textual_names.py` lists each name and says which is missing. Textual is pinned to the
minor version that this was tested with. What could be offered upstream, the most useful first:

- `display`: write only the cells that changed (`App._display`); an app may have a display of its own.
- `terminal_input`, with `terminal_tokens`, `terminal_reports`, `key_sequences` and `typed_text`: parse what
  terminals send, whatever the bytes and the pieces; `input_driver` reads it.
- `key_order`: handle a key and all that follows from it before the next one.
- `faults`: report a fault in the handler of a key, or in what is drawn, and go on; call a timer of one call
  even if it is late (`Timer` skips it, and its work is never done).
- `terminal_driver`: outlive a terminal that goes away; one thread that reads it after any SIGCONT.
- `compositor`: ask only the widgets in the dirty regions for lines; tell each widget that it is shown;
  measure again what changes after it was laid out and before it was told so (`Widget.refresh` counts a
  change once until the widget is idle, `_get_box_model` keeps the size of each count).
- `line_scroll_view`: draw a scrollbar without a Rich renderable; set `virtual_size` without a layout;
  send a row of the line API only if it is another strip than before; don't keep a strip in its own cache, which
  leaves it to the garbage collector.
- `ui/toolkit/screens.py`, without a private name: close a screen once, even if it is dismissed twice or below
  another one.
- `stylesheet`: parse what a screen brings, and not all sources again (`Stylesheet.reparse`; its cache has
  room for 64 sources).
- `gc_control`: clear the cache of styles when a screen is removed.
- `command_palette`: load the palette, and the widgets it is made of, when it is first shown.
"""
