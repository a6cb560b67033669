// A foreign runtime of one behaviour, named by the first argument. `<behaviour>-once` misbehaves until a marker file exists.
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , behaviour, marker] = process.argv;
const say = (message) => process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
const done = (seq, result) => ({
  type: 'done',
  seq,
  construction_error: null,
  steps: [{ result, logs: [], metrics: [], spans: [], calls: [] }],
});

const misbehaves = marker === undefined || !existsSync(marker);
if (marker !== undefined) writeFileSync(marker, '');

const onHello = {
  'other-major': () => ({ protocol: 'framework.contract/2' }),
  minor: () => ({ protocol: 'framework.contract/1.4' }),
};
const onRun = {
  stray: (message) => {
    say('hello from a library');
    say(done(message.seq, 'queue'));
  },
  after: (message) => {
    say(done(message.seq, 'queue'));
    say(done(message.seq, 'queue'));
  },
  'wrong-seq': (message) => say(done(message.seq + 1, 'queue')),
  hang: () => {},
  die: () => process.exit(7),
  list: () => say('[]'),
  null: () => say('null'),
  number: () => say('7'),
  long: () => say(`{"type":"done","pad":"${'x'.repeat(8 * 1024 * 1024)}"}`),
  binary: () => process.stdout.write(Buffer.from([0x7b, 0xff, 0x7d, 0x0a])),
  shapeless: (message) => say({ type: 'done', seq: message.seq }),
  unsupported: (message) => say({ type: 'unsupported', seq: message.seq, reason: 'not built' }),
  keys: (message) => say(done(message.seq, Object.keys(message).sort())),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'hello') {
    say({
      type: 'hello',
      protocol: message.protocol,
      runtime: { name: 'fake', version: '1' },
      areas: ['detection'],
      calls: [],
      handlers: [],
      ...onHello[behaviour]?.(),
    });
  } else if (message.type === 'run') {
    const act = misbehaves ? onRun[behaviour] : undefined;
    if (act) act(message);
    else say(done(message.seq, 'queue'));
  } else {
    if (behaviour === 'stays') setInterval(() => {}, 1000);
    else process.exit(behaviour === 'bad-end' ? 9 : 0);
  }
}
