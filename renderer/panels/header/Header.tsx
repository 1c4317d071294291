export function Header() {
  return <div className="side" />;
}
