// An agent on the TypeScript SDK's entry for version 2, on stdio.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const sessions = new Map();

const update = (client, sessionId, update) =>
  client.notify("session/update", { sessionId, update });

const say = (client, sessionId, text) =>
  update(client, sessionId, {
    sessionUpdate: "agent_message_chunk",
    messageId: "said",
    content: { type: "text", text },
  });

const work = async (client, sessionId, text) => {
  const session = sessions.get(sessionId);
  const state = (fields) => update(client, sessionId, { sessionUpdate: "state_update", ...fields });
  await state({ state: "running" });
  if (text === "wait") {
    const cancelled = new Promise((resolve) => (session.cancel = resolve));
    await say(client, sessionId, "waiting");
    await cancelled;
    return state({ state: "idle", stopReason: "cancelled" });
  }
  const toolCall = { toolCallId: "write", title: "Write hello.txt", kind: "edit" };
  await update(client, sessionId, {
    sessionUpdate: "tool_call_update",
    status: "pending",
    ...toolCall,
  });
  await state({ state: "requires_action" });
  const { outcome } = await client.request("session/request_permission", {
    sessionId,
    title: "Write hello.txt?",
    subject: { type: "tool_call", toolCall },
    options: [
      { optionId: "go", name: "Go ahead", kind: "allow_once" },
      { optionId: "stop", name: "Stop", kind: "reject_once" },
    ],
  });
  await state({ state: "running" });
  const allowed = outcome.outcome === "selected" && outcome.optionId === "go";
  await update(client, sessionId, {
    sessionUpdate: "tool_call_update",
    toolCallId: "write",
    status: allowed ? "completed" : "cancelled",
  });
  await say(client, sessionId, allowed ? "written" : "not written");
  return state({ state: "idle", stopReason: "end_turn" });
};

const agent = acp
  .agent({ name: "typescript-v2" })
  .onRequest("initialize", () => ({
    protocolVersion: 2,
    info: { name: "typescript-v2", version: "1" },
    capabilities: { session: {} },
  }))
  .onRequest("session/new", () => {
    sessions.set("typescript-1", {});
    return { sessionId: "typescript-1" };
  })
  .onRequest("session/prompt", ({ params, client }) => {
    const { sessionId, prompt } = params;
    update(client, sessionId, {
      sessionUpdate: "user_message",
      messageId: "asked",
      content: prompt,
    });
    setImmediate(() => work(client, sessionId, prompt[0].text));
    return { messageId: "asked" };
  })
  .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel?.());

agent.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
