/** Local servers on loopback for services that have no official local server. They speak the services' wire protocols to the real AWS clients. */
export { type BedrockOptions, startBedrock } from './services/bedrock.js';
export {
  type MachineProgram,
  type MicrovmsOptions,
  type MicrovmsService,
  type StandInMachine,
  startMicrovms,
} from './services/microvms.js';
export {
  type ParameterServices,
  type ParameterServicesOptions,
  startParameterServices,
} from './services/parameters.js';
export {
  type S3VectorsOptions,
  type S3VectorsService,
  type StandInIndex,
  startS3Vectors,
} from './services/s3-vectors.js';
export {
  type FaultRule,
  type Service,
  ServiceBytes,
  ServiceError,
  type ServiceFault,
  type ServiceHandler,
  type ServiceOptions,
  type ServiceRequest,
  startService,
} from './services/service.js';
