import { TRIGGER_KINDS } from '@sallyport/core';
import { DETECTION_TABLE } from '@sallyport/dispatch';

describe('DETECTION_TABLE', () => {
  it('holds the kinds of the contract in their order', () => {
    expect(DETECTION_TABLE.map((row) => row.kind)).toEqual([
      'queue',
      'table-stream',
      'stream',
      'topic',
      'event-bus',
      'appsync',
      'websocket',
      'gateway-v2',
      'function-url',
      'load-balancer',
      'gateway-v1',
    ]);
    expect(DETECTION_TABLE.map((row) => row.kind)).toEqual([...TRIGGER_KINDS]);
  });

  it('is plain data that another runtime can read', () => {
    expect(JSON.parse(JSON.stringify(DETECTION_TABLE[7]))).toEqual({
      kind: 'gateway-v2',
      anyOf: [
        [
          { path: 'requestContext.http', test: 'object' },
          { path: 'routeKey', test: 'present' },
          { path: 'requestContext.domainName', test: 'not_url_domain' },
        ],
      ],
    });
  });

  it('cannot be changed', () => {
    expect(() => Object.assign(DETECTION_TABLE[0] as object, { kind: 'x' })).toThrow(TypeError);
    expect(() => (DETECTION_TABLE as unknown[]).pop()).toThrow(TypeError);
    expect(() => Object.assign(DETECTION_TABLE[0]?.anyOf[0]?.[1] as object, { value: 'x' })).toThrow(TypeError);
  });

  it('compares values under equals only', () => {
    const conditions = DETECTION_TABLE.flatMap((row) => row.anyOf.flat());

    expect(conditions.filter((condition) => (condition.test === 'equals') !== (condition.value !== undefined))).toEqual(
      [],
    );
  });
});
