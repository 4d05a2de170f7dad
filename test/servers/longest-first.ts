import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects one after the other, or a worker would be replaced each time the next file is of another project. */
const PROJECTS = ['servers', 'alone', 'quick']
/** Folders whose files take the longest, longest first. A long file that starts last would be all that is left running. */
const LONG_FOLDERS = ['test/proof/', 'test/e2e/', 'test/hosts/', 'test/core/features/', 'test/core/locks/']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.sort((a, b) => rank(a) - rank(b))
  }
}

function rank({ project, moduleId }: TestSpecification): number {
  const folder = LONG_FOLDERS.findIndex(each => moduleId.includes(`/${each}`))
  return PROJECTS.indexOf(project.name) * 100 + (folder < 0 ? LONG_FOLDERS.length : folder)
}
