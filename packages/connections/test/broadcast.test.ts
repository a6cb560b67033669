import {
  BroadcastStopped,
  type BroadcastToGroupInput,
  broadcastToGroup,
  createMemoryGroupedRegistry,
} from '@sallyport/connections';
import { ManualClock } from '@sallyport/core/testing';

const API = { apiId: 'api1', stage: 'live' };
const data = new TextEncoder().encode('hello');
const nameOf = (index: number) => `c-${String(index).padStart(4, '0')}`;

/** A group of 450 members, and a client that counts what each connection got. */
async function createGroup(members = 450) {
  const registry = createMemoryGroupedRegistry();
  const ids = Array.from({ length: members }, (_, index) => nameOf(index));
  for (const connectionId of ids) {
    await registry.put({ ...API, connectionId }, { connectedAt: 1, data: {} }, 60);
    await registry.join({ ...API, connectionId }, 'room');
  }
  const got: string[] = [];
  const client = {
    postToConnection: async (connectionId: string) => {
      got.push(connectionId);
      if (connectionId === 'c-0007') throw new Error('slow');
      return { gone: connectionId === 'c-0011' };
    },
  };
  return { ids, got, registry, input: { registry, client, api: API, group: 'room', data } };
}

async function stoppedOf(input: BroadcastToGroupInput): Promise<BroadcastStopped> {
  const error = await broadcastToGroup(input).catch((thrown: unknown) => thrown);
  if (error instanceof BroadcastStopped) return error;
  throw error;
}

it('reaches every connection once, and lists each outcome', async () => {
  const { ids, got, input } = await createGroup();
  const { sent, gone, failed } = await broadcastToGroup(input);
  expect([...got].sort()).toEqual(ids);
  expect([sent.length, gone, failed]).toEqual([
    448,
    ['c-0011'],
    [{ connectionId: 'c-0007', error: new Error('slow') }],
  ]);
});

describe('a broadcast that is stopped', () => {
  it.each([1, 2, 3, 4, 5])(
    'by the table at page %i reports its progress, and a retry reaches the others only',
    async (page) => {
      const { ids, got, registry, input } = await createGroup();
      const failure = Object.assign(new Error('throttled'), { code: 'x' });
      let pages = 0;
      const listByGroup: typeof registry.listByGroup = (...args) => {
        pages += 1;
        return pages === page ? Promise.reject(failure) : registry.listByGroup(...args);
      };
      const error = await stoppedOf({ ...input, registry: { ...registry, listByGroup } });
      expect(error).toMatchObject({ code: 'connections.broadcast_stopped', status: 503, cause: failure });
      expect(error.result.sent.length + error.result.gone.length + error.result.failed.length).toBe((page - 1) * 100);
      expect(error.cursor === undefined).toBe(page === 1);
      await broadcastToGroup({ ...input, cursor: error.cursor });
      expect([...got].sort()).toEqual(ids);
    },
  );

  it.each([0, 1, 9, 100, 101, 449])('by its signal after %i sends starts no further send', async (sends) => {
    const { ids, got, registry, input } = await createGroup();
    const controller = new AbortController();
    if (sends === 0) controller.abort(new Error('enough'));
    const client = {
      postToConnection: async (connectionId: string) => {
        if (got.length + 1 === sends) controller.abort(new Error('enough'));
        return input.client.postToConnection(connectionId);
      },
    };
    let pages = 0;
    const listByGroup: typeof registry.listByGroup = (...args) => {
      pages += 1;
      return registry.listByGroup(...args);
    };
    const watched = { ...registry, listByGroup };
    const error = await stoppedOf({ ...input, registry: watched, client, signal: controller.signal });
    expect(error).toMatchObject({ code: 'connections.broadcast_stopped', cause: new Error('enough') });
    expect(got).toHaveLength(sends);
    // No page is read that nothing may be sent to.
    expect(pages).toBe(Math.ceil(sends / 100));
    const { sent, gone, failed } = error.result;
    expect(sent.length + gone.length + failed.length).toBe(sends);
    await broadcastToGroup({ ...input, cursor: error.cursor });
    expect([...got].sort()).toEqual(ids);
  });

  it('by its deadline starts no further send, and can be stopped again', async () => {
    const { ids, got, input } = await createGroup();
    const clock = new ManualClock(0);
    const client = {
      postToConnection: async (connectionId: string) => {
        clock.tick(10);
        return input.client.postToConnection(connectionId);
      },
    };
    let cursor: string | undefined;
    const stops: number[] = [];
    for (let deadlineMs = 1500; ; deadlineMs += 1500) {
      const deadline = new Date(deadlineMs);
      const error = await broadcastToGroup({ ...input, client, clock, deadline, cursor }).catch((thrown) => thrown);
      stops.push(got.length);
      if (!(error instanceof BroadcastStopped)) break;
      cursor = error.cursor;
    }
    expect(stops).toEqual([150, 300, 450]);
    expect([...got].sort()).toEqual(ids);
  });

  it('keeps the connections that it skipped, even if its clock is set back before the end', async () => {
    const { ids, got, input } = await createGroup(3);
    const times = [0, 0, 1000];
    const clock = { now: () => new Date(times.shift() ?? 0) };
    const error = await stoppedOf({ ...input, clock, deadline: new Date(500), concurrency: 1 });
    expect(got).toEqual(['c-0000', 'c-0002']);
    expect(error.result.sent).toEqual(['c-0000', 'c-0002']);
    await broadcastToGroup({ ...input, cursor: error.cursor });
    expect([...got].sort()).toEqual(ids);
  });

  it('is not stopped by a deadline that passes with the last send', async () => {
    const { input } = await createGroup(3);
    const clock = new ManualClock(0);
    const client = {
      postToConnection: async () => {
        clock.tick(10);
        return { gone: false };
      },
    };
    const { sent } = await broadcastToGroup({ ...input, client, clock, deadline: new Date(30) });
    expect(sent).toHaveLength(3);
  });

  it.each([
    '',
    'x',
    Buffer.from('{"i":[1]}').toString('base64url'),
    Buffer.from('{"i":5}').toString('base64url'),
    Buffer.from('{"i":[],"p":1}').toString('base64url'),
    Buffer.from('{"i":[],"p":null}').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])('rejects a cursor that is not that of a broadcast: %j', async (cursor) => {
    const { input } = await createGroup(1);
    await expect(broadcastToGroup({ ...input, cursor })).rejects.toMatchObject({ code: 'connections.invalid_input' });
  });
});
