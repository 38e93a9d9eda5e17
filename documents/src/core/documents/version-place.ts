/** A version, and the document that it belongs to. */
export interface VersionPlace {
  documentId: string;
  versionId: string;
  version: number;
  projectId: string;
}
