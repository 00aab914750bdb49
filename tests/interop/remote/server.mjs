// An agent on the TypeScript SDK's own server, over HTTP and WebSocket; prints its port.
// With a certificate and its key as arguments it speaks TLS; the SDK knows no HTTP/2.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import * as acp from "@agentclientprotocol/sdk";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

const sessions = new Map(); // they outlive a connection

const say = (client, sessionId, text) =>
  client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });

const prompt = async ({ sessionId, prompt }, client) => {
  const session = sessions.get(sessionId);
  session.prompts.push(prompt[0].text);
  if (prompt[0].text === "wait") {
    const cancelled = new Promise((resolve) => (session.cancel = resolve));
    await say(client, sessionId, "waiting");
    await cancelled;
    return { stopReason: "cancelled" };
  }
  const call = { toolCallId: "write", title: "Write hello.txt", kind: "edit" };
  await client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "tool_call", status: "pending", ...call },
  });
  const { outcome } = await client.request("session/request_permission", {
    sessionId,
    toolCall: call,
    options: [
      { optionId: "go", name: "Go ahead", kind: "allow_once" },
      { optionId: "stop", name: "Stop", kind: "reject_once" },
    ],
  });
  if (outcome.outcome !== "selected" || outcome.optionId !== "go") {
    await say(client, sessionId, "not written");
    return { stopReason: "end_turn" };
  }
  const path = `${session.cwd}/hello.txt`;
  await client.request("fs/write_text_file", { sessionId, path, content: "hello\n" });
  await client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "tool_call_update", toolCallId: "write", status: "completed" },
  });
  const read = await client.request("fs/read_text_file", { sessionId, path });
  await say(client, sessionId, `read ${JSON.stringify(read.content)}`);
  return { stopReason: "end_turn" };
};

const createAgent = () =>
  acp
    .agent({ name: "remote-agent" })
    .onRequest("initialize", () => ({
      protocolVersion: 1,
      agentInfo: { name: "remote-agent", version: "1" },
      agentCapabilities: { loadSession: true },
    }))
    .onRequest("session/new", ({ params }) => {
      const sessionId = `remote-${sessions.size + 1}`;
      sessions.set(sessionId, { cwd: params.cwd, prompts: [] });
      return { sessionId };
    })
    .onRequest("session/load", async ({ params, client }) => {
      for (const text of sessions.get(params.sessionId).prompts) {
        await client.notify("session/update", {
          sessionId: params.sessionId,
          update: { sessionUpdate: "user_message_chunk", content: { type: "text", text } },
        });
      }
      return {};
    })
    .onRequest("session/prompt", ({ params, client }) => prompt(params, client))
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId).cancel?.());

const server = new AcpServer({ createAgent });
const handler = createNodeHttpHandler(server);
const [certificate, key] = process.argv.slice(2);
const secrets = certificate && { cert: readFileSync(certificate), key: readFileSync(key) };
const http = secrets
  ? createSecureServer(secrets, handler)
  : createServer(handler);
http.on(
  "upgrade",
  createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })),
);
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
