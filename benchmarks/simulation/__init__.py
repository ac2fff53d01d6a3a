"""What would it do with so many views? Discrete events, seeded; the scheduler is that of `lazyview manage`."""
