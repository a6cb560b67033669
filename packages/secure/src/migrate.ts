/** Placeholders that the migration helper writes. */
export { choosePosture, type PostureNotChosen } from './postures/posture.js';
