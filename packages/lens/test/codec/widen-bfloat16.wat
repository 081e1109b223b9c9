;; bfloat16 to float32: the bits become the upper halves of words. 8 numbers a turn; the caller rounds up.
(module
  (memory (export "memory") 12)
  (func (export "widen") (param $from i32) (param $to i32) (param $count i32)
    (local $end i32) (local $bits v128)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $count) (i32.const 1))))
    (loop $next
      (local.set $bits (v128.load (local.get $from)))
      (v128.store (local.get $to)
        (i32x4.shl (i32x4.extend_low_i16x8_u (local.get $bits)) (i32.const 16)))
      (v128.store offset=16 (local.get $to)
        (i32x4.shl (i32x4.extend_high_i16x8_u (local.get $bits)) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))))
