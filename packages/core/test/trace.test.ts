import {
  firstTraceId,
  invocationTraceId,
  onwardTraceHeaders,
  parseTraceparent,
  parseTracestate,
  parseXrayTraceHeader,
} from '../src/request/provenance.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const ROOT = '1-5759e988-bd862e3fe1be46a994272793';

describe('parseTraceparent', () => {
  it.each([
    [`00-${ID}-${PARENT}-01`, ID],
    [` 00-${ID.toUpperCase()}-${PARENT}-01 `, ID],
    [`01-${ID}-${PARENT}-01`, ID],
    [`cc-${ID}-${PARENT}-00-what-comes-later`, ID],
  ])('accepts %p', (value, expected) => {
    expect(parseTraceparent(value)).toBe(expected);
  });

  it.each([
    [''],
    [ID],
    [`00-${ID}-${PARENT}`],
    [`00-${ID}-${PARENT}-1`],
    [`00-${ID}-${PARENT}-01-x`],
    [`00-${ID}-${PARENT}-01-`],
    [`01-${ID}-${PARENT}-01x`],
    [`ff-${ID}-${PARENT}-01`],
    [`FF-${ID}-${PARENT}-01`],
    [`00-${'0'.repeat(32)}-${PARENT}-01`],
    [`00-${ID}-${'0'.repeat(16)}-01`],
    [`00-${ID.slice(1)}-${PARENT}-01`],
    [`00-${ID.slice(1)}g-${PARENT}-01`],
    [`0-${ID}-${PARENT}-01`],
    [`00-${ID}-${PARENT}-01,00-${ID}-${PARENT}-01`],
  ])('rejects %p', (value) => {
    expect(parseTraceparent(value)).toBe('');
  });
});

describe('parseXrayTraceHeader', () => {
  it.each([
    [`Root=${ROOT}`, ROOT],
    [`Self=1-67891234-12456789abcdef012345678;Root=${ROOT};Sampled=1`, ROOT],
    [`Root=${ROOT.toUpperCase()};Parent=53995c3f42cd8ad8;Sampled=0`, ROOT.toUpperCase()],
  ])('accepts %p, case kept', (value, expected) => {
    expect(parseXrayTraceHeader(value)).toBe(expected);
  });

  it.each([
    [''],
    [ROOT],
    [`Root=1-5759e988-${'0'.repeat(24)}`],
    [`Root=2-5759e988-bd862e3fe1be46a994272793`],
    [`Root=1-5759e988-bd862e3fe1be46a99427279`],
    [`Root=1-5759e988-bd862e3fe1be46a9942727933`],
    [`XRoot=${ROOT}`],
  ])('rejects %p', (value) => {
    expect(parseXrayTraceHeader(value)).toBe('');
  });
});

describe('firstTraceId', () => {
  it('prefers traceparent, skips a malformed one, and invents nothing', () => {
    expect(firstTraceId(`00-${ID}-${PARENT}-01`, `Root=${ROOT}`)).toBe(ID);
    expect(firstTraceId(`ff-${ID}-${PARENT}-01`, `Root=${ROOT}`)).toBe(ROOT);
    expect(firstTraceId('junk', 'junk')).toBe('');
    expect(firstTraceId('', '')).toBe('');
  });
});

describe('invocationTraceId', () => {
  it.each<[string, Parameters<typeof invocationTraceId>, string]>([
    ['the header on the context', [{ xRayTraceId: `Root=${ROOT};Sampled=1` }, {}], ROOT],
    ['the bare id on the context', [{ traceId: ROOT }, {}], ROOT],
    ['the variable', [undefined, { _X_AMZN_TRACE_ID: `Root=${ROOT}` }], ROOT],
    ['the context before the variable', [{ traceId: ROOT }, { _X_AMZN_TRACE_ID: 'Root=1-0-0' }], ROOT],
    [
      'no variable where invocations share a process',
      [{}, { _X_AMZN_TRACE_ID: `Root=${ROOT}`, AWS_LAMBDA_MAX_CONCURRENCY: '4' }],
      '',
    ],
    ['nothing from nonsense', [{ traceId: 'x' }, { _X_AMZN_TRACE_ID: 'y' }], ''],
  ])('accepts %s', (_, args, expected) => {
    expect(invocationTraceId(...args)).toBe(expected);
  });
});

describe('onwardTraceHeaders', () => {
  const from = (headers: Record<string, string>) => onwardTraceHeaders((name) => headers[name] ?? '');
  const traceparent = `00-${ID}-${PARENT}-01`;

  it('passes a valid trace on with its state', () => {
    expect(from({ traceparent, tracestate: 'a=1,b=2' })).toEqual({ traceparent, tracestate: 'a=1,b=2' });
    expect(from({ 'x-amzn-trace-id': `Root=${ROOT};Sampled=1` })).toEqual({
      'x-amzn-trace-id': `Root=${ROOT};Sampled=1`,
    });
  });

  it('drops a state that is too long or alone, and never a repaired header', () => {
    expect(from({ traceparent, tracestate: `a=${'1'.repeat(511)}` })).toEqual({ traceparent });
    expect(from({ tracestate: 'a=1' })).toEqual({});
    expect(from({ traceparent: '00-1-2-3', 'x-amzn-trace-id': 'Root=1' })).toEqual({});
    expect(parseTracestate(`a=${'1'.repeat(510)}`)).toHaveLength(512);
    expect(parseTracestate('a=\r\n')).toBe('a=');
    expect(parseTracestate('a=1\u0000')).toBe('');
  });
});
