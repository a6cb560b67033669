import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import pino from 'pino';
import type { Logger } from '../src/index.js';
import { bindLogger, parseLog } from '../src/internal.js';
import { fromConsole, fromPino, fromPowertools } from '../src/log-adapters.js';
import type { LogLine } from '../src/observability.js';

type Line = Readonly<Record<string, unknown>>;

interface Made {
  readonly log: Logger;
  readonly lines: Line[];
}

function throughConsole(_level: string, sinks: object[] = []): Made {
  const lines: Line[] = [];
  const write = (level: string) => (message: string, fields: object) => lines.push({ level, message, ...fields });
  const target = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { log: fromConsole(target, { sinks: sinks as never }), lines };
}

function throughPino(level: string, sinks: object[] = []): Made {
  const lines: Line[] = [];
  const target = pino({ level, messageKey: 'message' }, { write: (text) => void lines.push(JSON.parse(text) as Line) });
  return { log: fromPino(target, { sinks: sinks as never }), lines };
}

function throughPowertools(level: string, sinks: object[] = []): Made {
  const lines: Line[] = [];
  const target = new PowertoolsLogger({ logLevel: level.toUpperCase() as 'INFO', serviceName: 'orders' });
  const keep = (text: string) => void lines.push(JSON.parse(text) as Line);
  (target as unknown as { console: object }).console = { debug: keep, info: keep, warn: keep, error: keep };
  return { log: fromPowertools(target, { sinks: sinks as never }), lines };
}

const BOUND = {
  request_id: 'req-1',
  trace_id: '',
  tenant_id: '',
  trigger: 'gateway-v2',
  route: '/x',
  function_name: '',
  function_version: '',
};

describe.each([
  ['console', throughConsole],
  ['pino', throughPino],
  ['Powertools', throughPowertools],
])('%s with the option log', (name, make) => {
  it('is a logger that containers accept', () => {
    const { log } = make('info');
    expect(parseLog(log, {})).toBe(log);
  });

  it('gets message, invocation and fields, without secrets', () => {
    const { log, lines } = make('info');
    bindLogger(log.with({ app: 'a' }), { ...BOUND }, () => undefined).warn('password=hunter2', {
      token: 'hunter2',
      order: { id: 7 },
      request_id: 'forged',
    });
    expect(lines).toMatchObject([
      {
        message: 'password=[REDACTED]',
        request_id: 'req-1',
        trigger: 'gateway-v2',
        route: '/x',
        app: 'a',
        token: '[REDACTED]',
        order: { id: 7 },
        field_request_id: 'forged',
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('gets errors as data, sanitized, with their cause', () => {
    const { log, lines } = make('info');
    log.error('failed', { error: new TypeError('no', { cause: new Error('Bearer hunter2') }) });
    expect(lines).toMatchObject(
      [
        {
          message: 'failed',
          error: { name: 'TypeError', message: 'no', stack: [expect.any(String)], cause: { name: 'Error' } },
        },
      ].map((line) => ({ ...line, error: { ...line.error, stack: expect.any(Array) } })),
    );
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('writes each level with its method', () => {
    const { log, lines } = make('debug');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    expect(lines.map(({ message }) => message)).toEqual(['debug', 'info', 'warn', 'error']);
    expect(new Set(lines.map(({ level }) => level)).size).toBe(4);
  });

  it('hands lines to the sinks too', () => {
    const taken: LogLine[] = [];
    const { log } = make('info', [{ take: (line: LogLine) => taken.push(line) }]);
    log.error('failed');
    expect(taken).toMatchObject([{ level: 'ERROR', message: 'failed' }]);
  });

  if (name !== 'console') {
    it('uses its own level', () => {
      const { log, lines } = make('warn');
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
      expect(lines.map(({ message }) => message)).toEqual(['warn', 'error']);
      expect([log.isEnabled('info'), log.isEnabled('warn')]).toEqual([false, true]);
    });
  }
});

it.each([
  ['fromConsole', () => fromConsole({} as never), 'a console'],
  ['fromConsole of null', () => fromConsole(null as never), 'a console'],
  ['fromPino', () => fromPino(console as never), 'a pino logger'],
  ['fromPowertools', () => fromPowertools(console as never), 'a Powertools logger'],
])('%s rejects other values', (_, make, wanted) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', `option "log" must be ${wanted}`));
});

it('rejects an unknown option', () => {
  expect(() => fromConsole(console, { level: 'info' } as never)).toThrow(
    expect.failure('app.invalid_configuration', 'unknown option "level"'),
  );
});

it('uses the global console by default', () => {
  const lines: unknown[] = [];
  const { warn } = console;
  console.warn = (...args: unknown[]) => void lines.push(args);
  const log = fromConsole();
  log.warn('x', { a: 1 });
  console.warn = warn;
  expect(lines).toEqual([['x', expect.objectContaining({ a: 1 })]]);
});
