import { TextDecoder } from "node:util";

export interface Body {
  content: string;
  bytes: number;
  truncated: boolean;
}

/** Reads a response's body as text, up to `maxBytes`; the rest of a longer one is never asked for. */
export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const { bytes, truncated } = await readBytes(response, maxBytes);
  // A decoder that waits for more drops the piece of a character at the cut.
  const content = decoderFor(response.headers.get("content-type")).decode(bytes, { stream: truncated });
  return { content, bytes: bytes.byteLength, truncated };
}

async function readBytes(response: Response, maxBytes: number): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // Leaving the loop cancels the stream, which frees the socket.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    total += chunk.byteLength;
    if (total > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return { bytes, truncated: total > maxBytes };
}

/** The charset that the server names where it is a known one, else UTF-8. */
function decoderFor(contentType: string | null): TextDecoder {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
