export { type AnswerContract, type ValidationMode, validateAnswers } from './validation/validate-answers.js';
