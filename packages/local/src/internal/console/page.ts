import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { pagePolicy } from './protections.js';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Sends the page, with a new nonce for the styles. */
export async function sendPage(response: ServerResponse, assets: string): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const html = await readFile(join(assets, 'index.html'), 'utf8');
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy(nonce) })
    .end(html.replaceAll('{{nonce}}', nonce));
}

/** Sends a file of the page and returns true if it exists. A name is a single segment, so no path leaves the folder. */
export async function sendAsset(response: ServerResponse, assets: string, path: string): Promise<boolean> {
  const name = /^\/assets\/([\w-]+(?:\.[\w-]+)*)$/.exec(path)?.[1];
  const type = TYPES[extname(name ?? '')];
  if (name === undefined || type === undefined) return false;
  const bytes = await readFile(join(assets, name)).catch(() => undefined);
  if (!bytes) return false;
  response.writeHead(200, { 'content-type': type }).end(bytes);
  return true;
}
