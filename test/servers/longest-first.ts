import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose files take the longest, longest first. A long file that starts last would be all that is left running. */
const LONG_FOLDERS = ['test/proof/', 'test/e2e/', 'test/hosts/', 'test/core/features/', 'test/core/locks/']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.sort((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONG_FOLDERS.findIndex(folder => moduleId.includes(`/${folder}`))
  return at < 0 ? LONG_FOLDERS.length : at
}
