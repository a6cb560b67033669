import { APP_OPTIONS } from '../../packages/dispatch/src/container/app.js';
import { SHARED_OPTIONS } from '../../packages/migrate/src/rules/internal/options.js';
import { SECURE_OPTIONS } from '../../packages/secure/src/options.js';

it('the migration helper lists every option that both containers have', () => {
  const shared = Object.keys(APP_OPTIONS.kinds).filter((name) => Object.hasOwn(SECURE_OPTIONS.kinds, name));
  expect([...SHARED_OPTIONS].sort()).toEqual(shared.sort());
});
