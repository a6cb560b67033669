import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Invoke } from '../invoke.js';
import { AUDIENCE, addNote, ISSUER, isNote, readKeys } from '../secured.js';

interface Event {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export function createSecure(): Invoke {
  const keys = createLocalJWKSet({ keys: readKeys() });
  return async ({ headers, body }: Event) => {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: AUDIENCE, algorithms: ['RS256'] });
    const note: unknown = JSON.parse(body);
    if (!isNote(note)) return json(422, { error: 'no note' });
    console.log(JSON.stringify({ level: 'info', message: 'note added', author: payload.sub }));
    return json(201, addNote(note, payload.sub ?? ''));
  };
}
