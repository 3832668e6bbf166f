import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

export interface PageFile {
  body: Buffer;
  type: string;
}

/** The built page, seen both from the sources and from what is built of them. Not a constant: a bundle may have no such place. */
export const pageFolder = () => new URL("../../dist/inspect/page/", import.meta.url);

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** The files that a browser may ask for, by name: nothing else is ever read from the disk. */
export async function readPage(folder: URL): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const entries = await readdir(fileURLToPath(folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)];
    if (entry.isFile() && type !== undefined) {
      files.set(entry.name, { body: await readFile(new URL(entry.name, folder)), type });
    }
  }
  return files;
}
