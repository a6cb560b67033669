import { FrameworkError } from '@sallyport/core';
import { broadcast } from '../src/websocket.js';

const DATA = Buffer.from('hello');

/** A client whose connections behave according to their ids. It records the number of concurrent sends. */
function fakeClient() {
  const stats = { open: 0, most: 0, calls: [] as string[] };
  return {
    stats,
    async postToConnection(connectionId: string) {
      stats.calls.push(connectionId);
      stats.open += 1;
      stats.most = Math.max(stats.most, stats.open);
      await new Promise(setImmediate);
      stats.open -= 1;
      if (connectionId.startsWith('bad')) throw new FrameworkError('websocket.request_failed', 'no');
      return { gone: connectionId.startsWith('gone') };
    },
  };
}

describe('broadcast', () => {
  it('returns the outcome for each connection', async () => {
    const client = fakeClient();
    const forgotten: string[] = [];
    const result = await broadcast(client, ['a', 'gone-1', 'bad-1', 'b', 'a'], DATA, {
      onGone: async (id) => forgotten.push(id),
    });
    expect(result).toEqual({
      sent: ['a', 'b'],
      gone: ['gone-1'],
      failed: [{ connectionId: 'bad-1', error: expect.objectContaining({ code: 'websocket.request_failed' }) }],
    });
    expect(forgotten).toEqual(['gone-1']);
    expect(client.stats.calls).toEqual(['a', 'gone-1', 'bad-1', 'b']);
  });

  it.each([
    [undefined, 10],
    [3, 3],
    [1, 1],
    [1_000_000_000, 25],
  ])('with concurrency %s keeps at most %s sends open', async (concurrency, most) => {
    const client = fakeClient();
    const ids = Array.from({ length: 25 }, (_, index) => `c${index}`);
    const result = await broadcast(client, ids, DATA, concurrency === undefined ? {} : { concurrency });
    expect(client.stats.most).toBe(most);
    expect(result.sent).toHaveLength(25);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('store down');
      },
    ],
    ['later', () => Promise.reject(new Error('store down'))],
  ])('does not hide that a gone connection could not be forgotten (%s)', async (_, onGone) => {
    const result = await broadcast(fakeClient(), ['gone-1', 'a'], DATA, { onGone });
    expect(result).toEqual({
      sent: ['a'],
      gone: [],
      failed: [{ connectionId: 'gone-1', error: new Error('store down') }],
    });
  });

  it('sends nothing when the message is too large', async () => {
    const client = fakeClient();
    await expect(broadcast(client, ['a'], new Uint8Array(131_073))).rejects.toThrow(
      expect.failure('websocket.too_large', '131072 bytes'),
    );
    expect(client.stats.calls).toEqual([]);
  });

  it('does nothing for an empty list of connections', async () => {
    expect(await broadcast(fakeClient(), [], DATA)).toEqual({ sent: [], gone: [], failed: [] });
  });

  it.each([
    [{ concurrency: 0 }, 'option "concurrency"'],
    [{ concurrency: 1.5 }, 'option "concurrency"'],
    [{ onGone: 'x' }, 'option "onGone"'],
    [{ parallel: 2 }, 'unknown option "parallel"'],
  ])('rejects %j', async (options, message) => {
    await expect(broadcast(fakeClient(), ['a'], DATA, options as object)).rejects.toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});
