import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** The stages of a {@link Service}. */
export type ServiceStage = 'production' | 'preview';

/** The settings that follow from a stage. */
export interface StageSettings {
  /** True if state, failure queues and logs are kept when the stack is removed. */
  readonly keeps: boolean;
  readonly logRetention: RetentionDays;
  readonly logLevel: 'INFO' | 'DEBUG';
  /** Requests and messages a second, and at the same time, for each API. */
  readonly throttleRate: number;
  readonly throttleBurst: number;
  /** True if alarms and a dashboard are created by default. */
  readonly isWatched: boolean;
}

/** A preview is cheap and disappears: few requests, short logs, no alarms. */
export const STAGES: Readonly<Record<ServiceStage, StageSettings>> = {
  production: {
    keeps: true,
    logRetention: RetentionDays.THREE_MONTHS,
    logLevel: 'INFO',
    throttleRate: 100,
    throttleBurst: 200,
    isWatched: true,
  },
  preview: {
    keeps: false,
    logRetention: RetentionDays.ONE_WEEK,
    logLevel: 'DEBUG',
    throttleRate: 10,
    throttleBurst: 20,
    isWatched: false,
  },
};
