export { AGENTS, type Agent, type AgentOptions, type SignIn, signInOfSdk2 } from './agents.js';
export {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from './authorization-server.js';
export { ClientMemory } from './client-memory.js';
export {
  type Cognito,
  type CognitoClient,
  type CognitoFault,
  type CognitoOptions,
  startCognito,
} from './cognito.js';
export { DOOR_NAMES, type DoorName, type OpenDoor, openDoor } from './door.js';
export { Browser, type Person, signIn } from './person.js';
