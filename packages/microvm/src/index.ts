/** A closed controller for AWS Lambda MicroVMs: machines for tenants, and a proxy to the programs in them. */
export {
  type InternalCallerInput,
  internalCaller,
  type MicrovmBindingOf,
  type MicrovmCaller,
  type MicrovmCallerOptions,
  toMicrovmCaller,
} from './controller/caller.js';
export { createMicrovmController, type MicrovmController } from './controller/controller.js';
export type { InvokeOptions, MicrovmControllerOptions, MicrovmImage, NewMicrovmSession } from './controller/options.js';
export type {
  AuthTokenInput,
  InvokeInput,
  ListInput,
  MicrovmAnswer,
  MicrovmEnvelope,
  MicrovmInvokeAnswer,
  MicrovmSession,
  MicrovmSessionList,
  MicrovmSessionView,
  MicrovmTokenInfo,
  RunInput,
  SessionInput,
  ShellAuthTokenInput,
  SweepOptions,
  SweepReport,
} from './controller/types.js';
export { MICROVM_CODES, MicrovmError, type MicrovmErrorCode } from './errors.js';
export type { MicrovmLifecycleEvent, MicrovmLifecycleHook, MicrovmOutcome } from './lifecycle/events.js';
export {
  MICROVM_OPERATIONS,
  MICROVM_STATES,
  MICROVM_TRANSITIONS,
  type MicrovmDesiredState,
  type MicrovmOperation,
  type MicrovmState,
  toMicrovmState,
} from './lifecycle/states.js';
export {
  type AwsMicrovmProviderOptions,
  createAwsMicrovmProvider,
  type MicrovmSdkClient,
} from './provider/aws-provider.js';
export { createHttpsTransport, type HttpsTransportOptions } from './provider/https-transport.js';
export type {
  MicrovmDescription,
  MicrovmProvider,
  MicrovmSummary,
  PortScope,
  RunMicrovmInput,
  TokenInput,
} from './provider/provider.js';
export { SecretToken } from './provider/secret-token.js';
export type {
  HeaderEntry,
  MicrovmTransport,
  TransportRequest,
  TransportResponse,
  TransportTimes,
} from './provider/transport.js';
export { createDynamoMicrovmRegistry, type DynamoMicrovmRegistryOptions } from './registry/dynamo-registry.js';
export type {
  IdlePolicy,
  MicrovmBinding,
  MicrovmLogging,
  MicrovmRegistry,
  PageRequest,
  PendingPage,
  PendingRequest,
  RegistryCallOptions,
  RegistryWriteOptions,
  SessionChanges,
  SessionKey,
  SessionPage,
  SessionRecord,
  StartSetup,
} from './registry/registry.js';
export { MICROVM_PATH, type MountMicrovmOptions, mountMicrovmController } from './routes/mount.js';
