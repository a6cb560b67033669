import { own } from '../../protocol/internal/json-rpc.js';
import { isLogLevel, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import { invalidParams } from '../../server/errors.js';
import { setLevel } from '../../session/internal/session.js';
import { capabilitiesOf, defineMethod, membersJson } from './method.js';

/** Sets the log level of a session. In the stateless era each request contains the level. */
export const setLogLevel = defineMethod({
  name: 'logging/setLevel',
  eras: ['session'],
  isServed: ({ server }) => server.settings.logging,
  capability: () => ({ logging: {} }),
  async handle({ server, session, params }) {
    const level = own(params, 'level');
    if (!isLogLevel(level)) throw invalidParams('Unknown log level');
    if (session) await setLevel(server, session, level);
    return { result: { members: '' } };
  },
});

export const ping = defineMethod({
  name: 'ping',
  eras: ['session'],
  isServed: () => true,
  handle: () => ({ result: { members: '' } }),
});

/** The result of `initialize` in the session era. */
export const discover = defineMethod({
  name: 'server/discover',
  eras: ['stateless'],
  isServed: () => true,
  handle(request) {
    const { cache, instructions } = request.server.settings;
    const capabilities = capabilitiesOf(request.methods, request.era, request);
    return {
      result: { members: membersJson({ supportedVersions: [STATELESS_VERSION], capabilities, instructions }), cache },
    };
  },
});
