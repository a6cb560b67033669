import { type BatchModel, createBatchEngine, type Item } from './internal/batches.js';
import { drive } from './internal/drive.js';
import type { BuildApp, Ledger } from './internal/ledger.js';
import { BATCH_JOB_SIMULATION, type BatchJobSimulation, batchJobItems, batchJobModel } from './models/batch-job.js';
import { BLOCKING_SIMULATION, type BlockingSimulation, blockingItems, blockingModel } from './models/blocking.js';
import {
  CUSTOM_RESOURCE_SIMULATION,
  type CustomResourceSimulation,
  customResourceItems,
  customResourceModel,
  Endpoint,
} from './models/custom-resource.js';
import { FIREHOSE_SIMULATION, type FirehoseSimulation, firehoseItems, firehoseModel } from './models/firehose.js';
import { KAFKA_SIMULATION, type KafkaSimulation, kafkaItems, kafkaModel } from './models/kafka.js';
import { PIPE_SIMULATION, type PipeSimulation, pipeItems, pipeModel } from './models/pipe.js';
import {
  JobDesk,
  PIPELINE_JOB_SIMULATION,
  type PipelineJobSimulation,
  pipelineJobItems,
  pipelineJobModel,
} from './models/pipeline-job.js';
import { ROTATION_SIMULATION, type RotationSimulation, rotationItems, rotationModel } from './models/rotation.js';
import { WINDOW_SIMULATION, type WindowSimulation, windowItems, windowModel } from './models/window.js';
import type { SimulationResult } from './result.js';
import type { AsynchronousSource, TriggerSource } from './trigger-source.js';

/** The options of a simulation by the kind of its source. */
export interface TriggerSimulations {
  /** Of records of Kafka. */
  readonly kafka: KafkaSimulation;
  /** Of records of Firehose. */
  readonly firehose: FirehoseSimulation;
  /** Of messages of a broker, and changes of DocumentDB. */
  readonly blocking: BlockingSimulation;
  /** Of a job of S3 Batch Operations. */
  readonly 'batch-job': BatchJobSimulation;
  /** Of a rotation of a secret. */
  readonly rotation: RotationSimulation;
  /** Of custom resources. */
  readonly 'custom-resource': CustomResourceSimulation;
  /** Of records of a pipe. */
  readonly pipe: PipeSimulation;
  /** Of a stream with a tumbling window. */
  readonly window: WindowSimulation;
  /** Of jobs of CodePipeline. */
  readonly 'pipeline-job': PipelineJobSimulation;
}

/** A trigger whose service reads the answer. */
export type ReadTrigger = Exclude<TriggerSource, AsynchronousSource>;

/** Records to deliver, and the service's treatment of the answers. */
interface Prepared {
  readonly items: readonly Item[];
  readonly timeoutMs: number;
  /** The alias of the function that is invoked; none if absent. */
  readonly alias?: string | undefined;
  readonly model: (ledger: Ledger) => BatchModel;
  /** True if a record is done when the service has its answer, regardless of the sender. */
  readonly byAnswer?: true;
}

/** Runs a trigger outside the fixed table. */
export function simulateTrigger(buildApp: BuildApp, source: ReadTrigger, options: unknown): Promise<SimulationResult> {
  const { items, timeoutMs, alias, model, byAnswer } = prepare(source, options as never);
  return drive<Item>(buildApp, {
    size: items.length,
    timeoutMs,
    alias,
    ...(byAnswer && { byAnswer }),
    prepare: (ledger) => {
      const made = model(ledger);
      return (parts) => createBatchEngine(parts, made);
    },
    feed: (engine) => void engine.send(items),
  });
}

function prepare(source: ReadTrigger, options: undefined): Prepared {
  const violateOf = (ledger: Ledger) => ledger.violate.bind(ledger);
  switch (source.kind) {
    case 'kafka': {
      const settings = KAFKA_SIMULATION.parse(options);
      const model = (ledger: Ledger) => kafkaModel(source.event, settings, violateOf(ledger));
      return { ...settings, items: kafkaItems(source.event), model };
    }
    case 'firehose': {
      const settings = FIREHOSE_SIMULATION.parse(options);
      const model = (ledger: Ledger) => firehoseModel(source.event, settings, violateOf(ledger));
      return { ...settings, items: firehoseItems(source.event), model };
    }
    case 'blocking': {
      const settings = BLOCKING_SIMULATION.parse(options);
      return { ...settings, items: blockingItems(source.event), model: () => blockingModel(source.event, settings) };
    }
    case 'batch-job': {
      const settings = BATCH_JOB_SIMULATION.parse(options);
      const model = (ledger: Ledger) => batchJobModel(settings, violateOf(ledger));
      return { ...settings, items: batchJobItems(source.events), model };
    }
    case 'rotation': {
      const settings = ROTATION_SIMULATION.parse(options);
      return { ...settings, items: rotationItems(source.event), model: () => rotationModel(settings) };
    }
    case 'custom-resource': {
      const settings = CUSTOM_RESOURCE_SIMULATION.parse(options);
      const model = (ledger: Ledger) => {
        const violate = violateOf(ledger);
        return customResourceModel(new Endpoint(ledger.clock, settings, violate), violate);
      };
      return { ...settings, items: customResourceItems(source.events), model, byAnswer: true };
    }
    case 'pipe': {
      const settings = PIPE_SIMULATION.parse(options);
      const model = (ledger: Ledger) => pipeModel(settings, violateOf(ledger));
      return { ...settings, items: pipeItems(source.events), model };
    }
    case 'window': {
      const settings = WINDOW_SIMULATION.parse(options);
      const model = (ledger: Ledger) => windowModel(source.event, settings, violateOf(ledger));
      return { ...settings, items: windowItems(source.event), model, byAnswer: true };
    }
    case 'pipeline-job': {
      const settings = PIPELINE_JOB_SIMULATION.parse(options);
      const model = (ledger: Ledger) => {
        const violate = violateOf(ledger);
        return pipelineJobModel(new JobDesk(ledger.clock, violate), ledger.clock, settings, violate);
      };
      return { ...settings, items: pipelineJobItems(source.events), model, byAnswer: true };
    }
  }
}
