#!/bin/sh
# Installs the agents that the tests talk to: the example of the TypeScript SDK beside this file (15 MB;
# 1.9.0 is the last release that ships it), and the newest servers of both SDKs in remote/ (45 MB).
set -eu
cd "$(dirname "$0")"
fetch() {
    npm install --prefix "$@" --no-save --no-package-lock --no-audit --no-fund --loglevel=error
}
example=node_modules/@agentclientprotocol/sdk/dist/examples/agent.js
server=remote/node_modules/@agentclientprotocol/sdk/dist/transports/server.js
python=remote/.venv/bin/hypercorn
[ -e "$example" ] || fetch . @agentclientprotocol/sdk@1.9.0
[ -e "$server" ] || fetch remote @agentclientprotocol/sdk@2.4.0 ws@8 zod@4
if [ ! -e "$python" ]; then
    "${PYTHON:-python3}" -m venv remote/.venv
    remote/.venv/bin/pip install --quiet --disable-pip-version-check \
        'agent-client-protocol[http]==1.0.0rc3' 'hypercorn>=0.17,<0.19'
fi
for one in "$example" "$server" "$python"; do
    [ -e "$one" ] || { echo "install.sh: the package came without $one" >&2; exit 1; }
done
