/** Names that infrastructure code shares with the store. Imports nothing. */

/** IAM actions on objects. Upload grants need those of an upload. `readVersion` and `deleteVersion` are needed for references with a version. */
export const OBJECT_STORE_ACTIONS = {
  upload: ['s3:PutObject'],
  read: ['s3:GetObject'],
  readVersion: ['s3:GetObjectVersion'],
  delete: ['s3:DeleteObject'],
  deleteVersion: ['s3:DeleteObjectVersion'],
} as const;
