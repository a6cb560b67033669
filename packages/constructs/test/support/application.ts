import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newProject } from './folders.js';

/** The packages of this workspace, which run on their sources with the condition. */
export const CONDITIONS = ['@sallyport/source'] as const;

/** A project whose entry file exports the handler of a `SecureApp`. Returns the path of the entry. */
export function newApplication(registrations: string, more: Readonly<Record<string, string>> = {}): string {
  const folder = newProject({
    'package.json': '{"type":"module"}',
    'node_modules/.keep': '',
    'lambda.ts': `
import { Authenticated, Optional, Public, SecureApp } from '@sallyport/secure';
import { json } from '@sallyport/http';
const all = { Authenticated, Optional, Public, json };
const app = new SecureApp({ principalResolver: () => null, ...(globalThis.options ?? {}) });
${registrations}
export const handler = globalThis.wrap?.(app) ?? app.handleLambda;
void all;
`,
    ...more,
  });
  symlinkSync(
    fileURLToPath(new URL('../../node_modules/@sallyport', import.meta.url)),
    join(folder, 'node_modules', '@sallyport'),
  );
  return join(folder, 'lambda.ts');
}
