import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { appSyncIdentityPrincipal, latticeIdentityPrincipal } from '@sallyport/secure/authorizers';
import { appSyncEvents, latticeDoor } from '@sallyport/triggers';
import { buildAppSyncEventsEvent, buildLatticeRequest } from '@sallyport/triggers/testing';

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:notes';
const FOREIGN = { code: 'dispatch.foreign_door' };
const SERVICE = 'arn:aws:vpc-lattice:eu-west-1:123456789012:service/svc-1';

const lattice = buildLatticeRequest('GET', '/op') as { requestContext: object };
const request = { ...lattice, requestContext: { ...lattice.requestContext, serviceArn: SERVICE } };
const published = {
  ...(buildAppSyncEventsEvent('/news/sport', { payloads: [1] }) as object),
  request: { headers: { host: 'abc.appsync-api.eu-west-1.amazonaws.com' } },
};

function open(doors: object) {
  const ran: string[] = [];
  const events = appSyncEvents().publish('/news/*', (_ctx, { payload }) => {
    ran.push('publish');
    return payload;
  });
  const app = createApp({ log: false, surfaces: [latticeDoor(), events], doors });
  app.get('/op', () => {
    ran.push('route');
    return json(200, 1);
  });
  return { app, ran };
}

// Both services write the caller into the event, and resolvers of `secure` accept it.
it.each([
  ['VPC Lattice', request, 'route', { lattice: SERVICE }],
  ['an Event API of AppSync', published, 'publish', { eventApi: 'abc.appsync-api.eu-west-1.amazonaws.com' }],
])('%s is a door', async (_name, event, handler, named) => {
  const { app, ran } = open({ qualifier: 'doors', ...named });
  await expect(app.handleLambda(event, { invokedFunctionArn: `${ARN}:events` })).rejects.toMatchObject(FOREIGN);
  expect(ran).toEqual([]);
  await app.handleLambda(event, { invokedFunctionArn: `${ARN}:doors` });
  expect(ran).toEqual([handler]);
  const other = open({ lattice: 'other', eventApi: 'other' });
  await expect(other.app.handleLambda(event, {})).rejects.toMatchObject(FOREIGN);
  expect(other.ran).toEqual([]);
});

it('no resolver runs for a forged identity', async () => {
  const asked: string[] = [];
  const events = appSyncEvents().publish('/news/*', () => 1, Authenticated());
  const app = new SecureApp({
    log: false,
    surfaces: [latticeDoor(), events],
    doors: { qualifier: 'doors' },
    principalResolver: (ctx) => {
      asked.push(ctx.triggerKind);
      return latticeIdentityPrincipal()(ctx) ?? appSyncIdentityPrincipal()(ctx);
    },
  });
  app.get('/op', () => json(200, 1), Authenticated());
  for (const event of [request, published]) {
    await expect(app.handleLambda(event, { invokedFunctionArn: ARN })).rejects.toMatchObject(FOREIGN);
  }
  expect(asked).toEqual([]);
});

it('an Event API is a door without a container too', async () => {
  const before = process.env.FRAMEWORK_DOORS;
  process.env.FRAMEWORK_DOORS = '{"qualifier":"doors"}';
  const { handleLambda } = appSyncEvents().publish('/news/*', (_ctx, { payload }) => payload);
  if (before === undefined) delete process.env.FRAMEWORK_DOORS;
  else process.env.FRAMEWORK_DOORS = before;
  await expect(handleLambda(published, { invokedFunctionArn: ARN })).rejects.toMatchObject(FOREIGN);
  await expect(handleLambda(published, { invokedFunctionArn: `${ARN}:doors` })).resolves.toEqual({
    events: [{ id: 'event-1', payload: 1 }],
  });
});
