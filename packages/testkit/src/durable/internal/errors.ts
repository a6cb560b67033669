import { ServiceError } from '../../services/service.js';

/** A request that the service rejects, named as client-lambda names the error. */
export function invalidParameter(message: string): ServiceError {
  return statused(new ServiceError('InvalidParameterValueException', 400, message));
}

/** For this message, the SDK fails only the invocation; Lambda then invokes the function again. */
export function invalidToken(): ServiceError {
  return invalidParameter('Invalid Checkpoint Token');
}

export function notFound(what: string): ServiceError {
  return statused(new ServiceError('ResourceNotFoundException', 404, `${what} does not exist.`));
}

export function callbackClosed(): ServiceError {
  const message = 'The callback id has expired, or its callback has already been closed.';
  return statused(new ServiceError('CallbackTimeoutException', 400, message));
}

export function alreadyStarted(name: string): ServiceError {
  return statused(
    new ServiceError(
      'DurableExecutionAlreadyStartedException',
      409,
      `An execution named "${name}" has already been started with another payload.`,
    ),
  );
}

/** The durable SDK classifies errors by this member of the AWS clients' errors. */
function statused(error: ServiceError): ServiceError {
  return Object.assign(error, { $metadata: { httpStatusCode: error.status } });
}
