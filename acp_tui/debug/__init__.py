"""The protocol debugger: log, filters, findings, diffs, composing, playback, shrinking, reports."""
