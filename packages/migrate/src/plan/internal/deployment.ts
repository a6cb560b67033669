import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from '../../frameworks/internal/chains.js';

/** Templates that name the routes of functions: of the Serverless Framework and of SAM. */
const FILES = ['serverless.yml', 'serverless.yaml', 'template.yml', 'template.yaml'];

/** The routes and queues of a service's functions, from the templates in its root. */
export function readDeployment(root: string): Deployment {
  const found = new Map<string, { routes: string[]; queues: string[] }>();
  for (const file of FILES) {
    let text: string;
    try {
      text = readFileSync(join(root, file), 'utf8');
    } catch {
      continue;
    }
    readTemplate(text, found);
  }
  return found;
}

/** Reads lines: `handler: src/create.handler`, and the routes and queues below it. */
function readTemplate(text: string, found: Map<string, { routes: string[]; queues: string[] }>): void {
  let current: { routes: string[]; queues: string[] } | undefined;
  let method: string | undefined;
  let path: string | undefined;
  for (const line of text.split('\n')) {
    const [, key = '', raw = ''] = /^\s*-?\s*([A-Za-z]+):\s*(.*)$/.exec(line) ?? [];
    const value = raw
      .replace(/\s+#.*$/, '')
      .replaceAll(/^['"]|['"]$/g, '')
      .trim();
    const name = key.toLowerCase();
    if (name === 'handler') {
      current = { routes: [], queues: [] };
      [method, path] = [undefined, undefined];
      found.set(value, current);
    }
    if (!current) continue;
    if ((name === 'http' || name === 'httpapi') && / /.test(value)) current.routes.push(routeOf(...splitRoute(value)));
    if (name === 'method' && value !== '') method = value;
    if (name === 'path' && value !== '') path = value;
    if (method !== undefined && path !== undefined) {
      current.routes.push(routeOf(method, path));
      [method, path] = [undefined, undefined];
    }
    const queue = /arn:[^\s'"]*:(?:[a-z]+\/)?([\w.-]+)$/.exec(value)?.[1];
    if (queue !== undefined && ['sqs', 'arn', 'queue', 'stream'].includes(name)) current.queues.push(queue);
  }
}

function splitRoute(value: string): [string, string] {
  const [method = '', path = ''] = value.split(/\s+/);
  return [method, path];
}

function routeOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.startsWith('/') ? path : `/${path}`}`;
}
