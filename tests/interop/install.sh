#!/bin/sh
# Installs the TypeScript SDK, whose example agent the tests talk to, beside this file (15 MB).
# 1.9.0 is the last release that ships its examples.
set -eu
cd "$(dirname "$0")"
sdk=node_modules/@agentclientprotocol/sdk/dist/examples/agent.js
[ -e "$sdk" ] && exit
npm install --prefix . --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
    @agentclientprotocol/sdk@1.9.0
[ -e "$sdk" ] || { echo "install.sh: the package came without $sdk" >&2; exit 1; }
