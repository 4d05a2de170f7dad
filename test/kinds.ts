/** Core registers its kinds of store when it is loaded. Tests of shared code and of single stores load no core. */
import '../electron/core/stores/kinds/kinds.ts'
