import { json } from '@sallyport/http';
import {
  Authenticated,
  defineRoutes,
  type Posture,
  Public,
  SecureApp,
  type SecureOptions,
  type SecurePrincipal,
  type SecureRoutes,
  type StatedPosture,
} from '@sallyport/secure';
import { choosePosture, type PostureNotChosen } from '@sallyport/secure/migrate';

const handler = () => json(200, 1);

const inheriting = defineRoutes((routes) => {
  routes.get('/', handler).get('/own', handler, Authenticated());
});
const stating = defineRoutes((routes: SecureRoutes<StatedPosture>) => {
  routes.get('/', handler, Authenticated());
});

/** Never run: the type check reads it. */
function refusedByTheCompiler(app: SecureApp): void {
  // @ts-expect-error a posture is required
  app.get('/a', handler);
  // @ts-expect-error a posture is required
  app.handle('GET', '/a', handler);
  // @ts-expect-error a posture is required
  app.appSyncField('Query', 'a', handler);
  // @ts-expect-error a posture is required
  app.appSyncBatchField('Query', 'a', () => []);
  // @ts-expect-error a posture is required
  app.webSocket('$connect', handler);
  // @ts-expect-error a literal is not a posture
  app.get('/a', handler, { kind: 'public', scopes: [] });
  // @ts-expect-error the factory is not a posture
  app.get('/a', handler, Public);
  // @ts-expect-error a name is not a posture
  app.get('/a', handler, 'public');
  // @ts-expect-error the placeholder is not a posture
  app.get('/a', handler, choosePosture('GET /a'));
  app.group('/a', {}, (routes) => {
    // @ts-expect-error no group has a posture
    routes.get('/', handler);
    routes.get('/b', handler, Public());
    // @ts-expect-error a posture is required, not options
    routes.get('/c', handler, { streaming: true });
    // @ts-expect-error the enclosing group has no posture either
    routes.group('/d', { tags: ['d'] }, (inner) => inner.get('/', handler));
    routes.group('/e', { posture: Public() }, (inner) => inner.get('/', handler));
  });
  app.group('/a', { posture: Public() }, (routes) => {
    routes.get('/', handler).get('/b', handler, { streaming: true }).get('/c', handler, Authenticated(), {});
    routes.group('/d', {}, (inner) => inner.get('/', handler));
    // @ts-expect-error the factory is not a posture
    routes.get('/e', handler, Public);
    // @ts-expect-error options follow the posture
    routes.get('/f', handler, {}, Public());
  });
  // @ts-expect-error the factory is not a posture
  app.group('/a', { posture: Public }, () => {});
  // @ts-expect-error there is no such option
  app.group('/a', { authRequired: true }, () => {});
  // @ts-expect-error the module's routes rely on the posture of a group
  app.group('/a', {}, inheriting);
  app
    .group('/a', { posture: Public() }, inheriting)
    .group('/a', { posture: Public() }, stating)
    .group('/a', {}, stating);
  // @ts-expect-error no scopes in a list
  Authenticated(['a']);
  // @ts-expect-error postures are read-only
  Public().kind = 'optional';
  // @ts-expect-error there is no such option
  new SecureApp({ authHook: () => 'ada' });
  // @ts-expect-error a principal has an identity
  new SecureApp({ principalResolver: () => ({ scopes: [] }) });
  // @ts-expect-error there is no such kind
  new SecureApp({ principalResolver: () => ({ identity: 'a', kind: 'root' }) });
}

describe('types', () => {
  it('do not compile where the container rejects', () => {
    expect(typeof refusedByTheCompiler).toBe('function');
  });

  it('compile where the container accepts', () => {
    const postures: readonly Posture[] = [Public(), Authenticated('a')];
    const principal: SecurePrincipal = { identity: 'ada', kind: 'internal' };
    const options: SecureOptions = {
      principalResolver: async () => principal,
      challenge: (ctx) => ctx.route?.pattern,
      tier: 'p1',
    };
    const notChosen: PostureNotChosen = { postureNotChosen: true };
    expect([postures.length, new SecureApp(options).routes(), notChosen]).toEqual([2, [], { postureNotChosen: true }]);
  });
});
