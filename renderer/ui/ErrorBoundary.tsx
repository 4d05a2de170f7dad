import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import styles from './ErrorBoundary.module.css'

type Props = {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly children: ReactNode
}

/** An error page instead of a blank one. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <main className={styles.page} role="alert">
        <h1>{this.props.title}</h1>
        <p>{this.props.text}</p>
        <Button look="primary" onClick={() => location.reload()}>
          {this.props.action}
        </Button>
      </main>
    )
  }
}
