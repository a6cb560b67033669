import fc from 'fast-check';
import { decodeHeaderValue } from '../src/http/internal/transport.js';
import { createSealer } from '../src/internal/crypto.js';
import { nestsDeeper, parseMessage } from '../src/protocol/internal/json-rpc.js';
import { compileTemplate } from '../src/server/internal/uri-template.js';
import { parseEventId } from '../src/session/internal/stream-log.js';
import { Rig, SECRET } from './support/rig.js';
import { registerAll } from './support/server.js';

describe('for any input', () => {
  it('an encoded header value stands for its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = Buffer.from(text, 'utf8');
        expect(decodeHeaderValue(`=?base64?${bytes.toString('base64')}?=`)).toBe(bytes.toString('utf8'));
      }),
    );
  });

  it('a sealed string opens only with the context that it was bound to', async () => {
    const sealer = createSealer(SECRET, 'tested');
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (text, bound, other) => {
        const token = await sealer.seal('state', text, bound);
        expect(await sealer.open('state', token, bound)).toBe(text);
        expect(await sealer.open('session', token, bound)).toBeUndefined();
        if (other !== bound) expect(await sealer.open('state', token, other)).toBeUndefined();
      }),
    );
  });

  it('depth is counted as a parser would', () => {
    const depthOf = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      return 1 + Math.max(0, ...Object.values(value).map(depthOf));
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(nestsDeeper(JSON.stringify(value), 3)).toBe(depthOf(value) > 3);
      }),
    );
  });

  it('messages and event ids are read without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(parseMessage(value).kind).toBeDefined()));
    fc.assert(fc.property(fc.string(), (text) => expect(parseEventId(text)?.stream.length ?? 12).toBe(12)));
  });

  it('a template finds the values that a URI was made of', () => {
    const template = compileTemplate('a://{x}/b/{y}');
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        (x, y) => {
          const uri = `a://${encodeURIComponent(x)}/b/${encodeURIComponent(y)}`;
          expect({ ...template?.match(uri) }).toEqual({ x, y });
        },
      ),
    );
  });

  it('a body of any JSON is answered with a client error or a result, never with a failure', async () => {
    const rig = new Rig({ register: registerAll, server: { sessions: 'none' } });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { status } = await rig.post(JSON.stringify(value));
        expect([200, 202, 400]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });
});
