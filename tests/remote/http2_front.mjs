// HTTP/2 with TLS before a server of HTTP/1.1: certificate, key, and its port; prints its own port.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createSecureServer } from "node:http2";

const [cert, key, to] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const HOP = new Set(["connection", "transfer-encoding", "keep-alive"]);

const front = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) }, (from, back) => {
  const { ":method": method, ":path": path } = from.headers;
  const headers = Object.fromEntries(
    Object.entries(from.headers).filter(([name]) => !name.startsWith(":")),
  );
  const up = request({ host: "127.0.0.1", port: to, method, path, headers, agent }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
    back.writeHead(answer.statusCode, Object.fromEntries(kept));
    answer.pipe(back);
  });
  up.on("error", () => back.stream.close());
  back.on("close", () => up.destroy());
  from.pipe(up);
});
front.listen(0, "127.0.0.1", () => console.log(front.address().port));
