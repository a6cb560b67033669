export { createLaneRun } from '../../batch/internal/lanes.js';
