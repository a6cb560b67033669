import { recordBytes, recordJson } from '@sallyport/streams';

const stream = (data: unknown) => ({ kinesis: { data } }) as never;
const queue = (body: unknown) => ({ body }) as never;

describe('recordBytes', () => {
  it.each([
    [queue('é'), [0xc3, 0xa9]],
    [queue(''), []],
    [stream('AP8='), [0, 255]],
    [stream(''), []],
  ])('returns the bytes of %j', (record, expected) => {
    expect([...recordBytes(record)]).toEqual(expected);
  });

  it.each(['AP8', 'A-8=', 'AP8=\n', 'AP 8=', 'AP8!', '===='])('rejects %j, which is not base64', (data) => {
    expect(() => recordBytes(stream(data))).toThrow('invalid base64');
  });

  it.each([{}, { body: 5 }, { kinesis: null }, { kinesis: {} }])('rejects %j, which carries nothing', (record) => {
    expect(() => recordBytes(record as never)).toThrow(
      expect.failure('streams.invalid_record', 'record has no body or data'),
    );
  });
});

describe('recordJson', () => {
  it('returns the value of a body or of data', () => {
    expect(recordJson(queue('{"a":[1]}'))).toEqual({ a: [1] });
    expect(recordJson<{ a: string }>(stream(Buffer.from('{"a":"é"}').toString('base64'))).a).toBe('é');
  });

  it.each([queue('secret'), queue(''), stream(Buffer.from('{secret').toString('base64'))])(
    'never quotes a body that is not JSON',
    (record) => {
      expect(() => recordJson(record)).toThrow(expect.failure('streams.invalid_record', 'record is not JSON'));
      expect(() => recordJson(record)).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
    },
  );
});
