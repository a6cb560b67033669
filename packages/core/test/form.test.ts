import fc from 'fast-check';
import { type FrameworkError, isFrameworkError } from '../src/errors/errors.js';
import { type Form, parseForm } from '../src/request/form.js';

const MULTIPART = 'multipart/form-data; boundary=b';
const URL_ENCODED = 'application/x-www-form-urlencoded';
const bytes = (text: string) => Buffer.from(text, 'latin1');
const part = (headers: string, body: string) => `--b\r\n${headers}\r\n\r\n${body}\r\n`;
const FIELD = 'Content-Disposition: form-data; name="a"';
const FILE = 'Content-Disposition: form-data; name="f"; filename="f.txt"';
const END = '--b--\r\n';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

async function failure(...args: Parameters<typeof parseForm>): Promise<FrameworkError> {
  const error: unknown = await parseForm(...args).catch((thrown: unknown) => thrown);
  if (!isFrameworkError(error)) throw new Error('it was read, or it failed otherwise', { cause: error });
  return error;
}

describe('accepted forms', () => {
  it('fields and files by name, first ones by a call', async () => {
    const body = part(FIELD, '1') + part(FIELD, '2') + part(`${FILE}\r\nContent-Type: image/png`, '\x00\xff') + END;
    const form = await parseForm(MULTIPART, bytes(body));
    expect(Object.entries(form.fields)).toEqual([['a', ['1', '2']]]);
    expect(Object.entries(form.files)).toEqual([
      ['f', [{ name: 'f.txt', type: 'image/png', bytes: Uint8Array.of(0, 255) }]],
    ]);
    expect([form.field('a'), form.field('f'), form.file('a'), form.file('f')?.name]).toEqual([
      '1',
      undefined,
      undefined,
      'f.txt',
    ]);
  });

  it('names of every object are names like any other', async () => {
    const form = await parseForm(URL_ENCODED, bytes('__proto__=1&constructor=2'));
    expect(Object.entries(form.fields)).toEqual([
      ['__proto__', ['1']],
      ['constructor', ['2']],
    ]);
    expect([form.field('toString'), form.file('toString')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['no line break at the end', URL_ENCODED, 'a=1', { a: ['1'] }],
    ['escapes that are none', URL_ENCODED, 'a=%zz&b=%', { a: ['%zz'], b: ['%'] }],
    ['names that are empty, and pieces that are', URL_ENCODED, '=1&&a', { '': ['1'], a: [''] }],
    ['a last delimiter without a line break', MULTIPART, `${part(FIELD, '1')}--b--`, { a: ['1'] }],
    ['no parts', MULTIPART, END, {}],
    ['an empty body', MULTIPART, '', {}],
    ['a body without a media type that is empty', '', '', {}],
  ])('%s', async (_, type, body, fields) => {
    const form = await parseForm(type, bytes(body));
    expect({ ...form.fields }).toEqual(fields);
    expect(Object.keys(form.files)).toEqual([]);
  });

  it('forms that the platform writes', async () => {
    // The format has no escape for a percent sign: it cannot distinguish the name `%0A` from a line break (WHATWG HTML section 4.10.21.8).
    const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/[\r\n]|%0a|%0d|%22/i.test(text));
    const file = fc.record({
      name,
      type: fc.constantFrom('image/png', 'text/plain'),
      bytes: fc.uint8Array({ minLength: 1 }),
    });
    const entries = fc.array(fc.tuple(name, fc.oneof(fc.string({ unit: 'grapheme' }), file)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        const sent = new FormData();
        for (const [key, value] of list) {
          if (typeof value === 'string') sent.append(key, value);
          else sent.append(key, new Blob([value.bytes], { type: value.type }), value.name);
        }
        const request = new Response(sent);
        const contentType = request.headers.get('content-type') ?? '';
        const form = await parseForm(contentType, new Uint8Array(await request.arrayBuffer()));
        const lone = /[\ud800-\udfff]/gu;
        const known = new Set(list.map(([key]) => key.replace(lone, '\ufffd')));
        for (const key of known) {
          const values = list.flatMap(([other, value]) =>
            other.replace(lone, '\ufffd') === key && typeof value === 'string'
              ? [value.replace(lone, '\ufffd').replace(/\r\n|\r|\n/g, '\r\n')]
              : [],
          );
          const contents = list.flatMap(([other, value]) =>
            other.replace(lone, '\ufffd') === key && typeof value !== 'string' ? [[...value.bytes]] : [],
          );
          expect(form.fields[key] ?? []).toEqual(values);
          expect((form.files[key] ?? []).map((found) => [...found.bytes])).toEqual(contents);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('forms at the limits', () => {
  const MEBIBYTE = 1_048_576;

  it.each<[string, string, string, Partial<Record<'fields' | 'files', number>>]>([
    ['1,000 fields', URL_ENCODED, `${'a&'.repeat(999)}a`, { fields: 1000 }],
    ['1,000 fields as parts', MULTIPART, part(FIELD, '').repeat(1000) + END, { fields: 1000 }],
    [
      '1,000 fields and 20 files',
      MULTIPART,
      part(FIELD, '').repeat(1000) + part(FILE, '').repeat(20) + END,
      { fields: 1000, files: 20 },
    ],
    ['a name of 1,024 characters', URL_ENCODED, 'a'.repeat(1024), { fields: 1 }],
    [
      'a file name of 1,024 characters',
      MULTIPART,
      part(FILE.replace('f.txt', 'f'.repeat(1024)), '') + END,
      { files: 1 },
    ],
    ['a value of 1,048,576 bytes', URL_ENCODED, `a=${'1'.repeat(MEBIBYTE)}`, { fields: 1 }],
    ['a body of 6,291,456 bytes', URL_ENCODED, `a=${'1'.repeat(MEBIBYTE - 3)}&`.repeat(6), { fields: 6 }],
  ])('%s', async (_, type, body, { fields = 0, files = 0 }) => {
    const form = await parseForm(type, bytes(body));
    const count = (lists: Readonly<Record<string, readonly unknown[]>>) => Object.values(lists).flat().length;
    expect([count(form.fields), count(form.files)]).toEqual([fields, files]);
  });

  it('a file of the greatest size', async () => {
    const body = bytes(part(FILE, '1234') + END);
    expect((await parseForm(MULTIPART, body, { maxFileBytes: 4 })).file('f')?.bytes.byteLength).toBe(4);
    expect(await failure(MULTIPART, body, { maxFileBytes: 3 })).toMatchObject({ status: 413 });
  });
});

describe('what is rejected', () => {
  it.each<[string, string, string, number, string]>([
    ['a part without a name', MULTIPART, part('Content-Type: text/plain', '1') + END, 400, 'invalid form'],
    ['line feeds alone', MULTIPART, (part(FIELD, '1') + END).replaceAll('\r', ''), 400, 'invalid form'],
    ['a body that was cut off', MULTIPART, part(FIELD, '1'), 400, 'invalid form'],
    ['another boundary', 'multipart/form-data; boundary=c', part(FIELD, '1') + END, 400, 'invalid form'],
    ['no boundary', 'multipart/form-data', END, 400, 'invalid form: content-type has no valid boundary'],
    ['a header that no header can be', 'multipart/form-data; boundary=b; x=\u0100', END, 400, 'invalid form'],
    ['two media types', `${URL_ENCODED}, text/plain`, 'a=1', 415, ''],
    ['JSON', 'application/json', '{}', 415, ''],
    ['a media type with a line break', 'a\r\nb: c', 'a=1', 415, ''],
    ['a name of 1,025 characters', URL_ENCODED, 'a'.repeat(1025), 413, 'form too large'],
    [
      'a file name of 1,025 characters',
      MULTIPART,
      part(FILE.replace('f.txt', 'f'.repeat(1025)), '') + END,
      413,
      'form too large',
    ],
    ['1,001 fields', URL_ENCODED, '&a'.repeat(1001), 413, 'form too large'],
    ['1,021 parts', MULTIPART, part(FIELD, '').repeat(1021) + END, 413, 'form too large'],
    ['21 files', MULTIPART, part(FILE, '').repeat(21) + END, 413, 'form too large'],
    ['a value of 1,048,577 bytes', URL_ENCODED, `a=${'1'.repeat(1_048_577)}`, 413, 'form too large'],
    ['a body of 6,291,457 bytes', URL_ENCODED, 'a'.repeat(6_291_457), 413, 'form too large'],
  ])('%s', async (_, type, body, status, message) => {
    const error = await failure(type, bytes(body));
    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
  });

  // Its Fetch parser reads more since version 24 of Node.js.
  it.each([
    ['a name without quotes', part('Content-Disposition: form-data; name=a', '1') + END],
    ['text before the first part', `x\r\n${part(FIELD, '1')}${END}`],
  ])('%s, before Node.js 24', async (_, body) => {
    const form = parseForm(MULTIPART, bytes(body));
    if (NODE_MAJOR >= 24) expect((await form).fields).toEqual({ a: ['1'] });
    else await expect(form).rejects.toMatchObject({ status: 400, message: expect.stringContaining('invalid form') });
  });

  it('never answers with the words of the parser', async () => {
    const { message, details, cause } = await failure(MULTIPART, bytes('secret'));
    expect([message, details]).toEqual(['invalid form', undefined]);
    expect(cause).toHaveProperty('name', 'TypeError');
  });

  it.each([[{ maxField: 1 }], [{ maxFiles: -1 }], [{ maxBytes: '1' }], [{ maxFieldBytes: 0 }]])(
    'the limits %j, by name',
    async (limits) => {
      const error = await failure(URL_ENCODED, bytes('a=1'), limits as object);
      expect(error.code).toBe('app.invalid_configuration');
      expect(error.message).toContain(Object.keys(limits)[0]);
    },
  );

  it('each of 1,000 random bodies, if at all, with one of these errors', async () => {
    const token = fc.constantFrom(
      '--b',
      '\r\n',
      '--',
      FIELD,
      FILE,
      ': ',
      ';',
      '"',
      '=',
      '&',
      '%',
      'Content-Type:',
      'base64',
      '\u0000',
      'a',
    );
    const body = fc.oneof(
      fc.array(token, { maxLength: 30 }).map((list) => bytes(list.join(''))),
      fc.array(fc.oneof(token, fc.string()), { maxLength: 10 }).map((list) => bytes(part(list.join(''), 'x') + END)),
      fc.uint8Array({ maxLength: 200 }).map((list) => Buffer.from(list)),
    );
    const type = fc.oneof(
      fc.constantFrom(MULTIPART, URL_ENCODED, 'multipart/form-data', 'multipart/form-data; boundary="b"'),
      fc.string().map((text) => `multipart/form-data; boundary=${text}`),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(type, body, async (contentType, given) => {
        const read: Form | FrameworkError = await parseForm(contentType, given).catch((error) => error);
        if (isFrameworkError(read)) expect([400, 413, 415]).toContain(read.status);
        else expect(Object.getPrototypeOf(read.fields)).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});
