import { Rig } from './support/rig.js';
import { registerAll } from './support/server.js';

describe('a cancellation', () => {
  const running = (release: Promise<void>) => {
    const seen = { aborted: false, ended: false };
    const rig = new Rig({
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          ctx.signal.addEventListener('abort', () => {
            seen.aborted = true;
          });
          await release;
          ctx.log('info', 'still here');
          await new Promise((resolve) => setTimeout(resolve, 5));
          await ctx.step('more', () => 'x');
          seen.ended = true;
          return 'done';
        }),
    });
    return { rig, seen };
  };

  it.each([
    ['1', '1', true],
    [1, 1, true],
    [0, 0, true],
    ['', '', true],
    ['1', 1, false],
    [1, '1', false],
    ['x'.repeat(3000), 'x'.repeat(3000), true],
  ])('of %p reaches the call %p on another instance: %p', async (cancelled, id, reaches) => {
    let go = () => {};
    const { rig, seen } = running(
      new Promise((resolve) => {
        go = resolve;
      }),
    );
    const session = await rig.connect();
    const calling = session.call('t', {}, { id });
    expect((await session.notify('notifications/cancelled', { requestId: cancelled, reason: 'why' })).status).toBe(202);
    go();
    const answer = await calling;
    expect(seen.aborted).toBe(reaches);
    expect(answer.events.some(({ data }) => data?.result)).toBe(!reaches);
    if (reaches) expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(rig.violations).toEqual([]);
  });

  it('is an error for a client that accepts JSON alone', async () => {
    let go = () => {};
    const { rig } = running(
      new Promise((resolve) => {
        go = resolve;
      }),
    );
    const session = await rig.connect({ accept: 'application/json' });
    const calling = session.call('t', {}, { id: 5 });
    await session.notify('notifications/cancelled', { requestId: 5 });
    go();
    expect((await calling).json).toEqual({ jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'Cancelled' } });
  });

  it('ends a parked call', async () => {
    const rig = new Rig({ register: registerAll });
    const session = await rig.connect();
    const first = await session.call('ask', {}, { id: 'c' });
    await session.notify('notifications/cancelled', { requestId: 'c' });
    expect((await session.answer(first.events[1]?.data.id, { action: 'decline' })).status).toBe(202);
    expect((await session.resume(first.events[1]?.id ?? '')).status).toBe(405);
  });

  it.each([
    ['of another session', true],
    ['that names no request', false],
  ])('%s changes nothing', async (_, foreign) => {
    const rig = new Rig({ register: registerAll });
    const session = await rig.connect();
    const first = await session.call('ask', {}, { id: 'c' });
    const other = foreign ? await rig.connect() : session;
    expect((await other.notify('notifications/cancelled', foreign ? { requestId: 'c' } : {})).status).toBe(202);
    await session.answer(first.events[1]?.data.id, { action: 'decline' });
    expect((await session.resume(first.events[1]?.id ?? '')).events[0]?.data.result.content[0].text).toBe(
      'decline null',
    );
  });

  it('of an unknown or finished call is accepted', async () => {
    const session = await new Rig({ register: registerAll }).connect();
    await session.call('echo', {}, { id: 1 });
    expect((await session.notify('notifications/cancelled', { requestId: 1 })).status).toBe(202);
    expect((await session.notify('notifications/cancelled', { requestId: 'x' })).status).toBe(202);
  });
});

describe('a deadline', () => {
  it('ends a tool one second before the deadline, and aborts its signal', async () => {
    let aborted = false;
    const rig = new Rig({
      remainingMs: 1030,
      register: (server) => {
        const wait = (_: unknown, ctx: { signal: AbortSignal }) =>
          new Promise<string>(() => {
            ctx.signal.addEventListener('abort', () => {
              aborted = true;
            });
          });
        server.tool('t', {}, wait);
        server.prompt('p', {}, wait);
      },
    });
    const session = await rig.connect();
    const { result } = (await session.call('t')).json;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/^Tool timed out \(request request-\d+\)$/);
    expect(aborted).toBe(true);
    expect((await session.request('prompts/get', { name: 'p' })).json.error).toEqual({
      code: -32603,
      message: 'Timed out',
    });
  });

  it('is given to handlers in milliseconds since 1970', async () => {
    let deadline = 0;
    const rig = new Rig({
      remainingMs: 10_000,
      register: (server) =>
        server.tool('t', {}, (_, ctx) => {
          deadline = ctx.deadline;
          return '';
        }),
    });
    const before = Date.now();
    await rig.stateless('tools/call', { name: 't' });
    expect(deadline).toBeGreaterThanOrEqual(before + 9900);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 10_000);
  });
});
