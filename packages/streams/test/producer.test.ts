import { createKinesisJsonRecord, reportKinesisPutRecordsFailures, toPutRecordsEntry } from '@sallyport/streams';

const record = (payload: unknown, more: object = {}) =>
  createKinesisJsonRecord({ partitionKey: 'pk', payload, ...more });
const textOf = (payload: unknown) => Buffer.from(record(payload).data).toString('utf8');
const messageOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return [(error as { code?: string }).code, (error as Error).message];
  }
  return [];
};

describe('createKinesisJsonRecord', () => {
  it('makes a record and a summary that holds neither data nor partition key in its line', () => {
    expect(
      createKinesisJsonRecord({ partitionKey: ' secret-key ', payload: { a: 'secret' }, explicitHashKey: '007' }),
    ).toEqual({
      partition_key: 'secret-key',
      data: Buffer.from('{"a":"secret"}'),
      explicit_hash_key: '7',
      safe_summary: {
        partition_key: 'secret-key',
        data_byte_length: 14,
        explicit_hash_key: '7',
        safe_log: 'data_byte_length=14 explicit_hash_key=7',
      },
    });
  });

  it('leaves out a hash key that was not given', () => {
    const made = record(1);
    expect(Object.keys(made)).toEqual(['partition_key', 'data', 'safe_summary']);
    expect(made.safe_summary.safe_log).toBe('data_byte_length=1');
    expect(toPutRecordsEntry(made)).toEqual({ PartitionKey: 'pk', Data: Buffer.from('1') });
    expect(toPutRecordsEntry(record(1, { explicitHashKey: '5' }))).toEqual({
      PartitionKey: 'pk',
      Data: Buffer.from('1'),
      ExplicitHashKey: '5',
    });
  });

  it.each<[unknown, string]>([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ a: 2, b: 1 }, '{"a":2,"b":1}'],
    [-0, '0'],
    [0, '0'],
    [null, 'null'],
    [true, 'true'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
    [[1, [2, { z: [], y: null }]], '[1,[2,{"y":null,"z":[]}]]'],
    [[333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001], '[333333333.3333333,1e+30,4.5,0.002,1e-27]'],
    ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    [
      {
        '\u20ac': 'Euro',
        '\r': 'CR',
        '\ufb33': 'Dalet',
        '1': 'One',
        '\ud83d\ude00': 'Smile',
        '\u0080': 'Control',
        '\u00f6': 'o',
      },
      '{"\\r":"CR","1":"One","\u0080":"Control","ö":"o","€":"Euro","😀":"Smile","\ufb33":"Dalet"}',
    ],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ])('writes %j as RFC 8785 specifies', (payload, expected) => {
    expect(textOf(payload)).toBe(expected);
  });

  it('writes a repeated object that is not a cycle', () => {
    const shared = { a: 1 };
    expect(textOf([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  const cycle: unknown[] = [];
  cycle.push({ cycle });
  const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a member that is undefined', { a: undefined }],
    ['a hole', new Array(1)],
    ['a function', () => {}],
    ['a symbol', Symbol('a')],
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['infinity', [Number.NEGATIVE_INFINITY]],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', new Uint8Array(1)],
    ['an instance', new (class A {})()],
    ['a boxed string', Object('a')],
    ['an object with toJSON', { toJSON: () => 1 }],
    ['a lone surrogate', 'a\ud800'],
    ['a key with one', { 'a\udc00': 1 }],
    ['a cycle', cycle],
    ['5,000 levels', deep],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new Error('secret');
        },
      }),
    ],
  ])('rejects %s', (_name, payload) => {
    expect(messageOf(() => record(payload))).toEqual([
      'streams.record_invalid',
      'framework: kinesis record: unsupported value',
    ]);
  });

  it.each<[string, object]>([
    ['partition key is required', { partitionKey: '' }],
    ['partition key is required', { partitionKey: '   ' }],
    ['partition key is required', { partitionKey: 5 }],
    ['partition key is required', { partitionKey: undefined }],
    ['partition key too long', { partitionKey: 'x'.repeat(257) }],
    ['partition key too long', { partitionKey: 'é'.repeat(129) }],
    ['data too large', { payload: 'x'.repeat(1_048_575) }],
    ['data too large', { payload: 'é'.repeat(524_288) }],
    ['invalid explicit hash key', { explicitHashKey: '' }],
    ['invalid explicit hash key', { explicitHashKey: '-1' }],
    ['invalid explicit hash key', { explicitHashKey: '1.0' }],
    ['invalid explicit hash key', { explicitHashKey: '0x1' }],
    ['invalid explicit hash key', { explicitHashKey: ' 1' }],
    ['invalid explicit hash key', { explicitHashKey: 7 }],
    ['invalid explicit hash key', { explicitHashKey: '340282366920938463463374607431768211456' }],
    ['invalid explicit hash key', { explicitHashKey: null }],
  ])('rejects with %s', (tail, input) => {
    expect(messageOf(() => record(1, input))).toEqual(['streams.record_invalid', `framework: kinesis record: ${tail}`]);
  });

  it.each([
    [2, ''],
    [100, 'x'.repeat(98)],
    [1_048_577, 'x'.repeat(1_048_575)],
    [10_485_760, 'x'.repeat(10_485_758)],
  ])('accepts data of at most %i bytes with maxDataBytes', (maxDataBytes, payload) => {
    expect(record(payload, { maxDataBytes }).data.length).toBe(maxDataBytes);
    expect(messageOf(() => record(`${payload}x`, { maxDataBytes }))).toEqual([
      'streams.record_invalid',
      'framework: kinesis record: data too large',
    ]);
  });

  it.each([[0], [-1], [1.5], [10_485_761], [Number.NaN], [Number.POSITIVE_INFINITY], ['1'], [null]])(
    'rejects maxDataBytes %j',
    (maxDataBytes) => {
      expect(messageOf(() => record(1, { maxDataBytes }))).toEqual([
        'app.invalid_configuration',
        expect.stringContaining('"maxDataBytes"'),
      ]);
    },
  );

  it('accepts the largest of everything', () => {
    const largest = record('x'.repeat(1_048_574), {
      partitionKey: 'é'.repeat(128),
      explicitHashKey: '000340282366920938463463374607431768211455',
    });
    expect(largest.data.length).toBe(1_048_576);
    expect(largest.explicit_hash_key).toBe('340282366920938463463374607431768211455');
  });
});

describe('reportKinesisPutRecordsFailures', () => {
  const records = [record('a'), record('bb', { explicitHashKey: '5' }), record('ccc')];
  const ok = { SequenceNumber: '1', ShardId: 'shardId-000000000000' };

  it('lists failed records, in the form of every runtime', () => {
    const results = [
      ok,
      { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded for sécret' },
      { ErrorCode: 'InternalFailure' },
    ];
    expect(reportKinesisPutRecordsFailures(records, results)).toEqual({
      record_count: 3,
      failed_record_count: 2,
      failures: [
        {
          index: 1,
          partition_key: 'pk',
          data_byte_length: 4,
          error_code: 'ProvisionedThroughputExceededException',
          error_message_present: true,
          error_message_byte_length: 25,
          explicit_hash_key: '5',
          safe_log:
            'index=1 data_byte_length=4 error_code=ProvisionedThroughputExceededException error_message_present=true error_message_byte_length=25 explicit_hash_key=5',
        },
        {
          index: 2,
          partition_key: 'pk',
          data_byte_length: 5,
          error_code: 'InternalFailure',
          error_message_present: false,
          error_message_byte_length: 0,
          safe_log:
            'index=2 data_byte_length=5 error_code=InternalFailure error_message_present=false error_message_byte_length=0',
        },
      ],
      safe_summary: { record_count: 3, failed_record_count: 2, safe_log: 'record_count=3 failed_record_count=2' },
    });
  });

  it('treats snake_case as the same', () => {
    const camel = reportKinesisPutRecordsFailures([record('a')], [{ ErrorCode: 'Code', ErrorMessage: 'text' }]);
    const snake = reportKinesisPutRecordsFailures([record('a')], [{ error_code: 'Code', error_message: 'text' }]);
    expect(snake).toEqual(camel);
  });

  it('never copies what the provider wrote', () => {
    const report = reportKinesisPutRecordsFailures([record('a')], [{ ErrorCode: 'Code', ErrorMessage: 'secret text' }]);
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  it('encodes the code in its line', () => {
    const [failure] = reportKinesisPutRecordsFailures([record('a')], [{ ErrorCode: 'a=b%' }]).failures;
    expect(failure?.safe_log).toContain('error_code=a%3Db%25 ');
  });

  it.each([[[]], [[ok]], [[{ ErrorCode: null, ErrorMessage: undefined }]], [[{ error_code: '', error_message: '' }]]])(
    'finds no failure in %j',
    (results) => {
      const report = reportKinesisPutRecordsFailures(
        results.map(() => record('a')),
        results,
      );
      expect(report.failures).toEqual([]);
    },
  );

  it.each<[string, number, unknown[]]>([
    ['too many records', 501, Array(501).fill(ok)],
    ['records and results differ in length', 2, [ok]],
    ['records and results differ in length', 0, [ok]],
    ['invalid error code at 1', 2, [ok, { ErrorCode: 'x'.repeat(129) }]],
    ['invalid error code at 0', 1, [{ ErrorCode: 'two words' }]],
    ['invalid error code at 0', 1, [{ ErrorCode: 'é' }]],
    ['invalid error code at 0', 1, [{ ErrorCode: 'a\n' }]],
    ['invalid error code at 0', 1, [{ ErrorCode: 5 }]],
    ['invalid error code at 0', 1, [{ ErrorMessage: 'no code' }]],
    ['invalid error code at 0', 1, [null]],
    ['error message too long at 0', 1, [{ ErrorCode: 'Code', ErrorMessage: 'x'.repeat(4_097) }]],
    ['error message too long at 0', 1, [{ ErrorCode: 'Code', ErrorMessage: 'é'.repeat(2_049) }]],
    ['error message too long at 0', 1, [{ ErrorCode: 'Code', ErrorMessage: 5 }]],
  ])('rejects with %s (%#)', (tail, count, results) => {
    const given = Array.from({ length: count }, () => record('a'));
    expect(messageOf(() => reportKinesisPutRecordsFailures(given, results as never))).toEqual([
      'streams.put_result_invalid',
      `framework: put-records result: ${tail}`,
    ]);
  });

  it('takes 500 records, 128 characters of code and 4,096 bytes of message', () => {
    const results = Array(500).fill({ ErrorCode: 'x'.repeat(128), ErrorMessage: 'x'.repeat(4_096) });
    expect(reportKinesisPutRecordsFailures(Array(500).fill(record('a')), results).failed_record_count).toBe(500);
  });
});
