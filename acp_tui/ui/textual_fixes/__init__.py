"""All code that relies on private names of Textual.

`tests/unit/ui/test_textual_names.py` lists each name and reports those that are missing. Textual is
pinned to the minor version that this was tested with. What could be offered upstream, the most
useful first:

- `display`: write only the cells that changed (`App._display`), for an app with its own display.
- `terminal_input`, with `terminal_tokens`, `terminal_reports`, `key_sequences` and `typed_text`:
  parse terminal input, whatever the bytes and however they are split into reads; `input_driver`
  reads it.
- `key_order`: handle a key and all that follows from it before the next one.
- `faults`: report an exception in a key's handler, or in drawing, and continue; run a one-shot
  timer even if it is late (`Timer` skips it, and its work is never done).
- `terminal_driver`: outlive a terminal that goes away; keep a single reader thread after any
  SIGCONT.
- `compositor`: ask for lines only from widgets in the dirty regions; notify each widget that it is
  shown; measure again what changes after a layout and before the widget is notified of it
  (`Widget.refresh` counts a change once until the widget is idle, and `_get_box_model` caches the
  size by that count).
- `line_scroll_view`: draw a scrollbar without a Rich renderable; set `virtual_size` without a
  layout; send a row of the line API only if it is another strip than before; don't store a strip in
  its own cache, which leaves it to the garbage collector.
- `ui/toolkit/screens.py`, without a private name: close a screen once, even if it is dismissed
  twice or below another one.
- `stylesheet`: parse only what a screen adds, and not all sources again (`Stylesheet.reparse`; its
  cache has room for 64 sources).
- `gc_control`: clear the style cache when a screen is removed.
- `command_palette`: load the palette and its widgets when it is first shown.
"""
