import type { IncomingMessage } from "node:http";
import { TextDecoder } from "node:util";
import { TargetError } from "fairbatch";

/** Reads an answer as text; one that is larger than `maxBytes`, or compressed though that was not asked for, fails. */
export async function readPage(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ content: string; bytes: number }> {
  const { "content-encoding": encoding = "identity", "content-type": contentType } = response.headers;
  if (encoding !== "identity") {
    response.destroy();
    throw new TargetError("answer is compressed", { hint: "the server ignores accept-encoding: identity" });
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the response and with it its socket.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TargetError("answer too large", { hint: `at most ${maxBytes} bytes are read` });
    chunks.push(chunk);
  }
  return { content: decoderFor(contentType).decode(Buffer.concat(chunks)), bytes };
}

/** The charset that the server names where it is a known one, else UTF-8. */
function decoderFor(contentType = ""): TextDecoder {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
