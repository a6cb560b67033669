function fail(): never {
  throw new RangeError('hostile');
}

function throwing(...names: string[]): object {
  const target = {};
  for (const name of names) Object.defineProperty(target, name, { get: fail, enumerable: true });
  return target;
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Every trap of a proxy throws. */
function explosive(target: object): object {
  const traps = new Proxy({}, { get: () => fail });
  return new Proxy(target, traps);
}

/** Events that no JSON can be, but that a test, a wrapper or an attacker inside the process could hand in. */
export const HOSTILE: readonly (readonly [string, unknown])[] = [
  ['a getter that throws at the top', throwing('Records')],
  [
    'getters that throw everywhere at the top',
    throwing('Records', 'detail-type', 'info', 'requestContext', 'httpMethod'),
  ],
  ['a getter that throws inside a record', { Records: [throwing('eventSource', 'Sns')] }],
  ['a getter that throws inside requestContext', { requestContext: throwing('connectionId', 'http', 'elb') }],
  [
    'a getter that throws before a row that would match',
    { ...{ httpMethod: 'GET' }, Records: [throwing('eventSource')] },
  ],
  ['a getter that throws inside a batch', [{ info: throwing('fieldName'), arguments: {} }]],
  ['a revoked proxy', revoked({})],
  ['a revoked proxy of a list', revoked([])],
  ['a revoked proxy inside', { Records: revoked([]) }],
  ['a proxy whose every trap throws', explosive({ httpMethod: 'GET' })],
  ['a proxy of a list whose every trap throws', explosive([1])],
  ['a proxy inside a record list', { Records: [explosive({})] }],
  [
    'a proxy that throws undefined',
    new Proxy(
      {},
      {
        get: () => {
          throw undefined;
        },
      },
    ),
  ],
  ['a list that claims a billion entries', new Array(1_000_000_000)],
  ['a null-prototype object', Object.create(null)],
  ['a symbol', Symbol('event')],
  ['a bigint', 1n],
  ['a function', () => {}],
  ['a date', new Date(0)],
  ['a map', new Map([['httpMethod', 'GET']])],
  ['bytes', new Uint8Array(4)],
  ['undefined', undefined],
];
