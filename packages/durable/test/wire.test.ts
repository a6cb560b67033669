import type { DurableExecutionClient } from '@aws/durable-execution-sdk-js';
import type * as lambda from '@aws-sdk/client-lambda';
import type {
  CheckpointResponse,
  DurableEngine,
  ErrorObject,
  ExecutionStatus,
  HistoryEvent,
  HistoryEventType,
  HistoryRequest,
  HistoryResponse,
  Operation,
  OperationUpdate,
  StateResponse,
} from '@sallyport/testkit/durable';
import { toRestJson } from '@sallyport/testkit/durable';

/** Compiles only if every value of the first type is one of the second. */
type Fits<A extends B, B> = A;

/** The shapes of the service, as AWS's client and SDK type them. */
export type Shapes = [
  Fits<Operation, lambda.Operation>,
  Fits<ErrorObject, lambda.ErrorObject>,
  Fits<ExecutionStatus, lambda.ExecutionStatus>,
  Fits<CheckpointResponse, lambda.CheckpointDurableExecutionResponse>,
  Fits<StateResponse, lambda.GetDurableExecutionStateResponse>,
  Fits<lambda.OperationUpdate, OperationUpdate>,
  Fits<HistoryEventType, lambda.EventType>,
  Fits<lambda.EventType, HistoryEventType>,
  Fits<lambda.GetDurableExecutionHistoryRequest, HistoryRequest>,
  Fits<Pick<HistoryEvent, 'EventType' | 'EventId' | 'EventTimestamp' | 'Id' | 'Name' | 'ParentId'>, lambda.Event>,
  Fits<keyof HistoryEvent, keyof lambda.Event>,
  Fits<keyof lambda.Event, keyof HistoryEvent>,
  Fits<keyof HistoryResponse, keyof lambda.GetDurableExecutionHistoryResponse>,
  Fits<Pick<DurableEngine, 'checkpoint' | 'getExecutionState'>, DurableExecutionClient>,
];

test('dates are written as seconds since the epoch, as restJson1 has them', () => {
  const answer = { Operations: [{ Id: 'a', StartTimestamp: new Date('2026-11-29T10:00:00.500Z') }], NextMarker: null };
  expect(toRestJson(answer)).toEqual({
    Operations: [{ Id: 'a', StartTimestamp: 1_795_946_400.5 }],
    NextMarker: null,
  });
});
